package plan

import (
	"slices"
	"strings"
)

// Made is a step that is made of small ones: emit prints those.
type Made interface{ Steps() []Step }

// Small steps: a call, a new variable, and a value that is stored.
func do(call Value) Assign               { return Assign{Values: []Value{call}} }
func define(name string, x Value) Assign { return assign(name, ":=", x) }
func deferred(call Value) Assign         { return Assign{Op: "defer", Values: []Value{call}} }
func set(to string, x Value) Assign      { return assign(to, "=", x) }
func assign(to, op string, x Value) Assign {
	return Assign{To: []string{to}, Op: op, Values: []Value{x}}
}

// begin begins a use that ends when the method returns: a call that may fail, and then a call by the name.
func begin(into string, call Value, end string) []Step {
	return []Step{Try{Into: into, Call: call}, deferred(result(end))}
}

// Steps: a nil handle that may be nil is left alone.
func (s Enter) Steps() []Step {
	base := result(s.Handle + ".base")
	call := methodOf(base, "Enter", verb)
	if s.Beside != "" {
		call = methodOf(base, "EnterBeside", addr(s.Beside+".h"), verb, text(s.What))
	}
	begun := append(begin("", call, s.Handle+".h.Exit"), s.Then...)
	if s.Optional {
		return []Step{If{isGiven(s.Handle), begun}}
	}
	return begun
}

// Steps: x.Unpin() ends a variable x.
func (s Until) Steps() []Step {
	return []Step{Declare{s.Var}, deferred(result(s.Var.Name + "." + s.End))}
}

// Steps: the mutex is unlocked when the method returns.
func (s Lock) Steps() []Step {
	return []Step{do(result(s.Mutex + ".Lock")), deferred(result(s.Mutex + ".Unlock"))}
}

// Steps: flags without a value are all.
func (s Gather) Steps() []Step {
	return []Step{define(s.Into, of("codes", "Join", val(s.Flags), hex(s.All)))}
}

// Steps: a builder keeps its first error, a plain struct returns it.
func (s CopyAttr) Steps() []Step {
	write := result(s.Attr+".to", addr(s.Into))
	switch {
	case s.Plain && s.Fails:
		return []Step{Declare{Var{Name: s.Into, Type: s.Mirror}}, Try{Call: write}}
	case s.Plain:
		return []Step{Declare{Var{Name: s.Into, Type: s.Mirror}}, do(write)}
	case s.Fails:
		return []Step{define(s.Into, val(s.Attr+".c")), Refuse{isGiven(s.Attr + ".err"), val(s.Attr + ".err")}}
	}
	return []Step{define(s.Into, val(s.Attr+".c"))}
}

// Steps: what is used is in the variable uses.
func (s EnterArms) Steps() []Step {
	return []Step{Try{Call: of("object", "UseArms", addr("uses"), addr(s.Beside+".h"), verb, text(s.Of), val(s.List), val(s.Of+".uses"))}}
}

// Steps: the struct counts the arms, and the bytes of all.
func (s PackArms) Steps() []Step {
	size := converted("int", of("unsafe", "Sizeof", val(s.Head)))
	return []Step{
		Try{Into: s.Into, Call: of("cmem", "Behind", verb, size, greatest(s.Count.GoType), greatest(s.Size.GoType),
			val(s.List), val(s.Of+".pack"))},
		Assign{To: []string{s.Head + "." + s.Count.Go, s.Head + "." + s.Size.Go}, Op: "=",
			Values: []Value{length(s.Count.GoType, s.List), length(s.Size.GoType, s.Into)}}}
}

// Steps: the list of C objects is pinned, and counted by its length or by the logarithm of that.
func (s EnterList) Steps() []Step {
	enter := Try{Into: s.Into, Call: of("bridge", "EnterList", addr(s.Uses), text(s.What), val(s.List))}
	if s.Beside != "" {
		enter.Call = of("object", "UseList", addr(s.Uses), addr(s.Beside+".h"), verb, text(s.What), val(s.List), nameOf(s.Of, "base"))
	}
	if s.To == "" {
		return []Step{enter}
	}
	n, size := s.Into+"N", result("len", val(s.Into))
	counted := of("cmem", "Count", verb, text(s.What), size, greatest(s.Len.GoType))
	if s.Log2 {
		counted = of("cmem", "Log2", verb, text(s.What), size)
	}
	return []Step{enter, Try{Into: n, Call: counted},
		Assign{To: []string{s.To, s.Count}, Op: "=",
			Values: []Value{of("mem", "PinList", addr(s.Pins), val(s.Into)), converted(s.Len.GoType, val(n))}}}
}

// greatest is the greatest number of a type: math.MaxUint8.
func greatest(typ string) Value {
	return nameOf("math", "MaxUint"+strings.TrimPrefix(typ, "uint"))
}

// Steps: the bytes begin with the struct.
func (s CopyHead) Steps() []Step { return []Step{do(of("cmem", "Put", val(s.Into), addr(s.Head)))} }

// Steps: the array is as long as the list.
func (s CopyList) Steps() []Step {
	return []Step{define(s.Into, of("cmem", "Mirrors", val(s.List), nameOf("*"+s.Type, "to")))}
}

// Steps: what C did not fill stays as it is.
func (s FillList) Steps() []Step {
	n := result("len", val(s.From))
	if s.Count != "" {
		n = val(s.Count)
	}
	return []Step{do(of("cmem", "FillList", val(s.List), val(s.From), n, nameOf("*"+s.Type, "from")))}
}

// Steps: the memory is given back when the method returns, unless the new object keeps it.
func (s Hold) Steps() []Step {
	take := []Step{Assign{To: []string{"held", "err"}, Op: ":=", Values: []Value{methodOf(s.From, "Take", verb)}},
		Refuse{isGiven("err"), of("verr", "Memory", verb, val("err"))}}
	if s.Addr == "" {
		return append(take, untilKept...)
	}
	return append(append(take, untilKept...),
		Assign{To: []string{s.Addr, s.Length}, Op: ":=", Values: []Value{val("held.Addr"), val("held.Len")}})
}

// Steps: so is that of a builder.
func (s HoldAttr) Steps() []Step {
	return append([]Step{Try{Into: "held", Call: result(s.Attr+".hold", verb, addr(s.Mirror))}}, untilKept...)
}

// untilKept gives memory back when the method returns, unless release is nil then.
var untilKept = []Step{define("release", val("held.Release")), deferred(of("object", "Release", addr("release")))}

// Steps: an error of a Close shows the memory by the name of the object.
func (Keep) Steps() []Step {
	return []Step{do(result("held.Rename", addr("o.h"))),
		Assign{To: []string{"o.h.Kept", "release"}, Op: "=", Values: []Value{val("release"), null}, Remark: "kept until Close has succeeded"}}
}

// Steps: the pin ends when the method returns.
func (s PinData) Steps() []Step {
	return []Step{deferred(methodOf(of("mem", "PinData", addr(s.Into), val(s.Bytes)), ""))}
}

// Steps: a function that makes handles begins with new.
func (s Make) Steps() []Step {
	return []Step{define(s.Into, result("new"+s.Object, val(s.Owner), val(s.From)))}
}

// Steps: an error is returned by the first copy.
func (s Attach) Steps() []Step {
	return []Step{Assign{To: []string{"_"}, Op: "=", Values: []Value{result("o.mem.Attach", val("ptr"), val(s.Length), yes)},
		Remark: "an error of attaching is returned by the first copy"}}
}

// Steps: the first that is given is the last to be stored.
func (s Place) Steps() (out []Step) {
	start := s.Start
	if len(s.First) > 0 {
		out, start = append(out, define("start", start)), val("start")
	}
	for _, x := range slices.Backward(s.First) {
		out = append(out, If{x.When, []Step{set("start", x.Value)}})
	}
	return append(out, do(result("o.place", start, s.Unknown)))
}

// Steps: when it cannot be opened, the C object is ended.
func (s Adopt) Steps() []Step {
	if last := len(s.Parents) - 1; last >= 0 && s.Parents[last].Many != "" {
		return []Step{Try{Call: result(s.Handle+".h.AdoptUsed", append([]Value{addr(s.Parents[last].Many)}, nodes(s.Parents[:last])...)...)}}
	}
	return []Step{Try{Call: result(s.Handle+".h.Adopt", nodes(s.Parents)...)}}
}

// nodes are those of parents; of a handle that may be nil it is nil then.
func nodes(list []Parent) (out []Value) {
	for _, x := range list {
		switch {
		case x.Held != "":
			out = append(out, result(x.Held+".Optional"))
		case x.Optional:
			out = append(out, methodOf(result(x.Handle+".base"), "Optional"))
		default:
			out = append(out, addr(x.Handle+".h.Node"))
		}
	}
	return out
}

// Steps: the uses end together.
func (s UseOthers) Steps() []Step {
	return []Step{define(s.Into, composite("bridge.Uses", Entry{"Verb", verb}, Entry{"Lib", val(s.Lib)})), deferred(result(s.Into + ".Exit"))}
}

// Steps: an optional handle may be nil.
func (s EnterOther) Steps() []Step {
	enter := "Enter"
	if s.Optional {
		enter = "EnterOptional"
	}
	return []Step{Try{s.Into, of("bridge", enter, addr(s.Uses), text(s.What), val(s.Handle))}}
}

// Steps: the use of its handles ends with the others.
func (s LendOther) Steps() []Step {
	attr := val(s.Attr)
	if s.Plain {
		attr = addr(s.Attr)
	}
	return []Step{Try{s.Into, of("bridge", "Lend", addr(s.Uses), attr)}}
}

// Steps: the record of a nil pointer, or with a value that does not fit, is refused.
func (s FillOther) Steps() []Step {
	return []Step{Try{Into: s.Into, Call: of("bridge", "Fill", verb, val(s.Record))}}
}

// Steps: a package makes the handles of its own types.
func (s MakeOther) Steps() []Step {
	with := []Entry{{"C", s.C}}
	var parents []Entry
	for _, n := range nodes(s.Parents) {
		parents = append(parents, Entry{Value: n})
	}
	if len(parents) > 0 {
		with = append(with, Entry{"Parents", composite("[]*object.Node", parents...)})
	}
	if s.From != "" {
		with = append(with, Entry{"From", addr(s.From)})
	}
	if s.End != nil {
		with = append(with, Entry{"End", Value{As: Function, Func: s.End}})
	}
	return []Step{Try{Into: s.Into, Call: generic("bridge", "Make", s.Object, addr(s.Uses), composite("bridge.Made", with...))}}
}

// Steps: a struct by value is filled in its place.
func (s Output) Steps() []Step {
	out := Step(define(s.Into, result("new", converted(s.Type))))
	if s.ByValue {
		out = Declare{Var{Name: s.Into, Type: s.Type}}
	}
	return []Step{out, do(result(s.Into+".from", addr(s.Mirror)))}
}

// Steps: what is 0 among the plain attributes alone may be unknown.
func (s KeepCaps) Steps() []Step {
	keep := do(result(s.Device+".caps.Keep", addr(s.Mirror)))
	keep.Remark = "not the plain attributes alone: what is 0 is known to be 0"
	return []Step{If{operation(val(s.Mask), "==", zero), []Step{keep}}}
}

// Steps: an error is returned with what was counted.
func (s Batch) Steps() []Step {
	into, failed := []string{"errno"}, []Value{s.Failed}
	if s.Into != "" {
		into, failed = []string{s.Into, "errno"}, []Value{s.Else, s.Failed}
	}
	return []Step{Assign{To: into, Op: ":=", Values: []Value{s.Call}}, If{operation(val("errno"), "!=", zero), []Step{Return{failed}}}}
}
