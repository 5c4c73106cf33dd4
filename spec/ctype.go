package spec

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Kinds of C types, as far as values and paths tell them apart.
const (
	CInt    = "integer" // with Bits and Signed; enums too
	CStruct = "struct"  // a struct or union, by value or by pointer: Tag
	CObject = "object"  // a pointer to a struct used through handles: Tag
	CAddr   = "address" // void * and pointers to scalars
	CText   = "text"    // char * and char arrays
	CFunc   = "function pointer"
	COther  = "other"
)

// CType is the type of an argument or field.
type CType struct {
	Kind    string
	C       string // as the header writes it
	Tag     string // of the struct, union ("ibv_gid") or enum, without the word before it
	Bits    uint   // of an integer
	Signed  bool
	Pointer bool
	Array   bool // a fixed-size array
	// prefix is the dotted way into a record whose anonymous members are flattened.
	prefix string
	record *api.Record
}

// Record returns the record of a struct or object; nil when it is opaque.
func (t CType) Record() *api.Record { return t.record }

// Counted is the first member of a struct of an unsigned number and an array without a length behind it; nil for another type.
func (t CType) Counted() *api.Field {
	if t.record == nil || len(t.record.Fields) != 2 || t.prefix != "" {
		return nil
	}
	n, list := &t.record.Fields[0], t.record.Fields[1]
	if is, ok := intTypes[n.Type]; !ok || is.Signed || !strings.HasSuffix(list.Type, "[]") || strings.ContainsAny(list.Type, "* ") {
		return nil
	}
	return n
}

// Key names a struct or an object, with the way to a member that is a struct without a tag: "ibv_send_wr.wr.rdma".
func (t CType) Key() string {
	if t.prefix == "" {
		return t.Tag
	}
	_, tag, _ := strings.Cut(t.record.Tag, " ")
	return tag + "." + strings.TrimSuffix(t.prefix, ".")
}

// Depth counts the pointers of the type.
func (t CType) Depth() int { return strings.Count(t.C, "*") }

// Const reports whether the type, or what it points to, is const.
func (t CType) Const() bool { return strings.HasPrefix(strings.TrimSpace(t.C), "const ") }

// BigEndian reports whether the type, or what it points to, is an integer in network byte order.
func (t CType) BigEndian() bool { return strings.Contains(t.C, "__be") }

// Range returns the least and the greatest value of an integer; an address counts as an integer of 64 bits.
func (t CType) Range() (low, high *big.Int) {
	switch {
	case t.Kind != CInt:
		return new(big.Int), maxUint(64)
	case t.Signed:
		return minInt(t.Bits), maxInt(t.Bits)
	}
	return new(big.Int), maxUint(t.Bits)
}

var intTypes = withSized(map[string]CType{
	"char": {Bits: 8, Signed: true}, "signed char": {Bits: 8, Signed: true}, "unsigned char": {Bits: 8},
	"bool": {Bits: 8}, "_Bool": {Bits: 8}, "short": {Bits: 16, Signed: true}, "unsigned short": {Bits: 16},
	"int": {Bits: 32, Signed: true}, "unsigned int": {Bits: 32}, "unsigned": {Bits: 32},
	"long": {Bits: 64, Signed: true}, "unsigned long": {Bits: 64}, "long long": {Bits: 64, Signed: true}, "unsigned long long": {Bits: 64},
	"size_t": {Bits: 64}, "ssize_t": {Bits: 64, Signed: true}, "uintptr_t": {Bits: 64}, "off_t": {Bits: 64, Signed: true},
	"__aligned_u64": {Bits: 64}, "socklen_t": {Bits: 32}, "nfds_t": {Bits: 64},
})

// withSized adds int8_t, __u8, __be16 and the like, of all widths.
func withSized(types map[string]CType) map[string]CType {
	for _, bits := range []uint{8, 16, 32, 64} {
		for word, signed := range map[string]bool{"int": true, "uint": false, "__s": true, "__u": false, "__be": false, "__le": false} {
			name := word + strconv.FormatUint(uint64(bits), 10)
			types[name] = CType{Bits: bits, Signed: signed}
			types[name+"_t"] = types[name]
		}
	}
	return types
}

// TypeOf reads a type as the facts write it ("const struct ibv_sge *").
func (f *Facts) TypeOf(c string) CType {
	t := CType{Kind: COther, C: c}
	base := strings.TrimSpace(c)
	if strings.Contains(base, "(*") {
		t.Kind, t.Pointer = CFunc, true
		return t
	}
	if i := strings.IndexByte(base, '['); i >= 0 {
		t.Array, base = true, strings.TrimSpace(base[:i])
	}
	stars := strings.Count(base, "*")
	t.Pointer = stars > 0
	words := strings.Fields(strings.ReplaceAll(base, "*", " "))
	kept := words[:0]
	for _, w := range words {
		if w != "const" && w != "volatile" && w != "restrict" {
			kept = append(kept, w)
		}
	}
	base = strings.Join(kept, " ")
	return f.baseType(t, base, stars)
}

// baseType fills in the kind of a type whose name stands alone.
func (f *Facts) baseType(t CType, base string, stars int) CType {
	word, tag, tagged := strings.Cut(base, " ")
	switch {
	case tagged && (word == "struct" || word == "union"):
		t.Tag, t.record = tag, f.Record(base)
		if t.record == nil && f.aliases[tag] != "" {
			t.record = f.records[word+" "+f.aliases[tag]]
		}
		t.Kind = CStruct
		if stars == 1 && f.IsObject(tag) {
			t.Kind = CObject
		} else if stars > 1 {
			t.Kind = COther
		}
	case tagged && word == "enum":
		e := f.Enum(tag)
		t.Tag, t.Bits, t.Signed = tag, 32, e != nil && e.Signed
		t.Kind = CInt
	case base == "char" && (stars == 1 || t.Array):
		t.Kind = CText
	case base == "void":
		t.Kind = CAddr
	default:
		it, ok := intTypes[base]
		if !ok {
			return t
		}
		t.Kind, t.Bits, t.Signed = CInt, it.Bits, it.Signed
	}
	if t.Kind == CInt && stars > 0 {
		t.Kind = CAddr
	}
	return t
}

// Element returns the type of an element of a list: of scalars, of structs, of a chain or of pointers to objects.
func (f *Facts) Element(list CType) CType {
	if list.Kind == CAddr && list.Depth() > 0 || list.Kind == COther && list.Depth() > 1 {
		return f.TypeOf(strings.Replace(list.C, "*", "", 1))
	}
	list.Array = false
	return list
}

// Param returns the type of a parameter; ok is false when the function has none of that name.
func (f *Facts) Param(fn *api.Function, name string) (CType, bool) {
	for _, p := range fn.Params {
		if p.Name == name {
			return f.TypeOf(p.Type), true
		}
	}
	return CType{}, false
}

func paramNames(fn *api.Function) (names []string) {
	for _, p := range fn.Params {
		names = append(names, p.Name)
	}
	return names
}

// Member returns the type of a field of a struct, or of a field or property of an object; ok is false when it has
// none of that name.
func (f *Facts) Member(t CType, name string) (CType, bool) {
	if t.Kind == CObject {
		for _, p := range f.objects[t.Tag] {
			if p == name {
				if c := f.types[name]; c != "" {
					return f.TypeOf(c), true
				}
				return CType{Kind: CInt, C: "count", Bits: 64}, true
			}
		}
	}
	if t.record == nil {
		if name == "context" && t.Kind == CObject {
			return f.TypeOf(f.types[name]), true
		}
		return CType{}, false
	}
	full := t.prefix + name
	for i := range t.record.Fields {
		fd := &t.record.Fields[i]
		if fd.Name == full {
			return f.fieldType(t, fd, full), true
		}
	}
	return CType{}, false
}

// fieldType is the type of a field found; a named member of an anonymous record is a struct whose fields carry its
// name before theirs.
func (f *Facts) fieldType(t CType, fd *api.Field, full string) CType {
	inside := full + "."
	for i := range t.record.Fields {
		if strings.HasPrefix(t.record.Fields[i].Name, inside) {
			return CType{Kind: CStruct, C: fd.Type, prefix: inside, record: t.record, Array: strings.Contains(fd.Type, "[")}
		}
	}
	if fd.Func != nil {
		return CType{Kind: CFunc, C: fd.Type, Pointer: true}
	}
	ft := f.TypeOf(fd.Type)
	if fd.BitSize != nil && ft.Kind == CInt {
		ft.Bits = uint(*fd.BitSize)
	}
	return ft
}

// Members lists the names that Member accepts.
func (f *Facts) Members(t CType) []string {
	var out []string
	if t.record != nil {
		for _, fd := range t.record.Fields {
			rest, ok := strings.CutPrefix(fd.Name, t.prefix)
			if ok && rest != "" && !strings.Contains(rest, ".") {
				out = append(out, rest)
			}
		}
	}
	if t.Kind == CObject {
		out = append(out, f.objects[t.Tag]...)
	}
	return out
}

// PathError is the error of a path that leads nowhere.
type PathError struct {
	Path    string
	Problem string
	Fix     string
}

// Error returns only the problem; Fix is separate.
func (e *PathError) Error() string { return e.Problem }

// pathOf is a path from the parameters of a function.
type pathOf struct {
	fn   *api.Function
	path string
}

// foundPath is what TypeOfPath returns.
type foundPath struct {
	t     CType
	state bool
	err   error
}

// TypeOfPath follows a path such as "attr.length" or "wr[].sg_list[].addr" from the parameters of a function. State
// reports whether the path leads through a property of an object. The error is a *PathError.
func (f *Facts) TypeOfPath(fn *api.Function, path string) (t CType, state bool, err error) {
	key := pathOf{fn, path}
	if known, ok := f.paths.Load(key); ok { // each judged call asks for the same ones
		p := known.(foundPath)
		return p.t, p.state, p.err
	}
	t, state, err = f.follow(fn, path)
	f.paths.Store(key, foundPath{t, state, err})
	return t, state, err
}

// follow finds what TypeOfPath returns.
func (f *Facts) follow(fn *api.Function, path string) (t CType, state bool, err error) {
	for i, step := range strings.Split(path, ".") {
		name, listed := strings.CutSuffix(step, "[]")
		var ok bool
		if i == 0 {
			if t, ok = f.Param(fn, name); !ok {
				names := paramNames(fn)
				fix := cmp.Or(DidYouMean(name, names), Choice("parameter", names))
				return t, state, &PathError{path, fmt.Sprintf("%s has no parameter %s", fn.Name, show(name)), fix}
			}
			if listed {
				t = f.Element(t)
			}
			continue
		}
		state = state || t.Kind == CObject
		at := t
		if t, ok = f.Member(at, name); !ok {
			what := at.Tag
			if what == "" {
				what = strings.TrimSuffix(strings.TrimSuffix(path[:strings.Index(path, step)], "."), "[]")
			}
			return t, state, &PathError{path, fmt.Sprintf("%s has no field or property %s", what, show(name)), DidYouMean(name, f.Members(at))}
		}
	}
	return t, state, nil
}
