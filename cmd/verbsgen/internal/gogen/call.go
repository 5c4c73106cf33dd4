package gogen

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file has the call of a C function, and the error of one that failed.

// answer is how a call says that it failed.
type answer struct {
	into  string // variable with what the call returns beside the errno; empty: the errno is all
	fails string // operator by which that, or the errno, is compared with nil or 0 when the call has failed
	types []string
	sorts string // function of package cmem that makes these of what C returned
}

const errnoType = "syscall.Errno"

var (
	byPointer = &answer{into: "ptr", fails: "==", types: []string{pointer, errnoType}, sorts: "OrErrno"}
	byErrno   = &answer{fails: "!=", types: []string{errnoType}}
	// not 0: the errno with either sign, or -1
	byEither   = &answer{fails: "!=", types: []string{errnoType}, sorts: "EitherErrno"}
	byNegative = &answer{into: "n", fails: "<", types: []string{"int", errnoType}, sorts: "IntOrErrno"}
	byNotZero  = &answer{into: "n", fails: "!="} // as byNegative, which returns it
	// below 0, which is the errno
	byNegated = &answer{into: "n", fails: "<", types: []string{"int", errnoType}, sorts: "IntOrNegated"}
)

// answerOf is how a verb says that it failed; nil for one that cannot.
func answerOf(v *model.Verb) *answer {
	switch v.Returns {
	case spec.RetNullErrno, spec.RetArgument:
		return byPointer
	case spec.RetErrno:
		return byErrno
	case spec.RetEither:
		return byEither
	case spec.RetMinus1, spec.RetNumber, spec.RetRereg:
		return byNegative
	case spec.RetNegated:
		return byNegated
	}
	return nil
}

// endAnswer is that of a verb that ends an object: what is not 0 is an error.
func endAnswer(v *model.Verb) *answer {
	if answerOf(v) == byNegative {
		return byNotZero
	}
	return answerOf(v)
}

// failure is what may explain that a call failed.
type failure struct {
	by     string     // an allocator's calls; empty: verr
	on     string     // the device that may have been removed, or empty
	others []string   // what knows the device of another package that may have been removed
	verb   string     // where the method does not name it
	lints  string     // in the name of the validator
	lib    string     // of the method
	memory []jen.Code // address, length and access of the memory that device takes
	node   string     // of the node that the call opens
	device string
	dmaBuf bool          // the method takes a mem.DMABuf
	looks  jen.Code      // a call of a method written by hand, which looks for causes
	gone   bool          // the device memory may be gone
	causes []model.Cause // what notes say of errnos
	spare  string        // by an errno, whether there was nothing left to destroy, and the call counts as made; empty: no errno says so
}

// call calls a verb and returns its error; into has the pointer or the number that it returns:
//
//	if errno := rawX(l.fn[symIbv_x], qp.c); errno != 0 {
//		return fail.Failed(verb, errno, nil)
//	}
func (f fail) call(into string, raw jen.Code, says *answer, explained failure) []jen.Code {
	if says == nil && into != "" {
		return []jen.Code{define(into).Add(raw)}
	}
	if says == nil {
		return []jen.Code{raw}
	}
	into = cmp.Or(into, says.into)
	failed := op(id(cmp.Or(into, "errno")), says.fails, jen.Lit(0))
	if says == byPointer {
		failed = isNil(id(into))
	}
	if explained.spare != "" {
		failed.Op("&&").Op("!").Add(id(explained.spare).Call(id("errno")))
	}
	refused := f.with(explained.err())
	if into == "" {
		return []jen.Code{jen.If(define("errno").Add(raw), failed).Block(refused)}
	}
	return []jen.Code{define(into, "errno").Add(raw), jen.If(failed).Block(refused)}
}

// err is the error of a call: dev.removed(fail.Failed(verb, errno, hints)), of a device of another package
// verbsUses.Removed(fail.Failed(verb, errno, hints)), or that of an allocator's calls.
func (f failure) err() *jen.Statement {
	err := f.failed()
	for _, other := range f.others {
		err = id(other, "Removed").Call(err)
	}
	if f.on != "" {
		return id(f.on, removedFunc).Call(err)
	}
	return err
}

func (f failure) failed() *jen.Statement {
	by, verb := rt("fail", "Failed"), id("verb")
	if f.by != "" {
		by = id(f.by, "Failed")
	}
	if f.verb != "" {
		verb = jen.Lit(f.verb)
	}
	if f.node != "" {
		return rt("fail", "NoNode").Call(verb, id(f.lib, "src"), jen.Lit(f.node), id("errno"))
	}
	return by.Call(verb, id("errno"), f.hints())
}

// hints is the function that explains a failure, or nil:
//
//	func() []string { return append(fail.Texts(errno, hintX(&in)), fail.MemoryHints(pd.lib.src, pd.dev.h.Label(), errno, in.addr, in.length,
//		in.access)...) }
//	func() []string { return fail.Causes(errno, fail.Cause{Errno: syscall.ENOENT, Text: "..."}) }
func (f failure) hints() *jen.Statement {
	var all []*jen.Statement
	errno := id("errno")
	if f.looks != nil {
		all = append(all, jen.Add(f.looks))
	}
	if f.dmaBuf {
		all = append(all, rt("fail", "DMABuf").Call(id("buf")).Dot("Explain").Call(id(f.lib, "src"), errno))
	}
	if len(f.memory) > 0 {
		device := jen.Lit("") // a method of Lib does not know it
		if f.device != "" {
			device = id(f.device, "h.Label").Call()
		}
		args := append([]jen.Code{id(f.lib, "src"), device, errno}, f.memory...)
		all = append(all, rt("fail", "MemoryHints").Call(args...))
	}
	if f.lints != "" {
		all = append(all, rt("fail", "Texts").Call(errno, id("hint"+f.lints).Call(ref(id("in")))))
	}
	if f.gone {
		all = append(all, rt("devmem", "GoneHints").Call(errno))
	}
	if len(f.causes) > 0 {
		args := []jen.Code{errno}
		for _, c := range f.causes {
			args = append(args, rt("fail", "Cause").Values(key("Errno", errnoOf(c.Errno)), key("Text", jen.Lit(c.Text))))
		}
		all = append(all, rt("fail", "Causes").Add(argLines(args...)))
	}
	if len(all) == 0 {
		return jen.Nil()
	}
	out := all[0]
	for _, more := range all[1:] {
		out = jen.Append(out, more.Op("..."))
	}
	return jen.Func().Params().Index().String().Block(jen.Return(out))
}

// lacking are the errnos that package syscall lacks on FreeBSD or macOS, with their names in package fail.
var lacking = map[string]string{"ENODATA": "ErrnoNoData", "EREMOTEIO": "ErrnoRemoteIO"}

// errnoOf is an errno by its C name: syscall.EINVAL.
func errnoOf(name string) *jen.Statement {
	if of, ok := lacking[name]; ok {
		return rt("fail", of)
	}
	return rt("syscall", name)
}
