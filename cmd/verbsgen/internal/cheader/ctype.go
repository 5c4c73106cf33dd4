package cheader

import (
	"fmt"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// kindNames are the arithmetic types in one spelling each.
var kindNames = map[cc.Kind]string{
	cc.Void: "void", cc.Bool: "_Bool", cc.Char: "char", cc.SChar: "signed char", cc.UChar: "unsigned char",
	cc.Short: "short", cc.UShort: "unsigned short", cc.Int: "int", cc.UInt: "unsigned int",
	cc.Long: "long", cc.ULong: "unsigned long", cc.LongLong: "long long", cc.ULongLong: "unsigned long long",
	cc.Float: "float", cc.Double: "double", cc.LongDouble: "long double",
	cc.Int128: "__int128", cc.UInt128: "unsigned __int128",
}

// typeText is the C text of a type, in one spelling whatever the header's: "struct ibv_pd *", "const void *",
// "uint8_t[16]", "int (*)(struct ibv_dm *, size_t)". Typedefs of system headers stay; the header's own are resolved. The
// layers are those of the declarator that has the type, as far as there is one.
func (f *facts) typeText(t cc.Type, ls []layer) string { return f.declare(t, ls, "") }

// declare writes the declaration of inner as type t; inner is a declarator that was built from the inside out.
func (f *facts) declare(t cc.Type, ls []layer, inner string) string {
	if name := f.systemTypedef(t); name != "" {
		return join(quals(t)+name, inner)
	}
	switch x := t.(type) {
	case *cc.PointerType:
		star := "*" + strings.TrimSuffix(quals(t), " ")
		if len(ls) > 0 && ls[0].kind != 'f' { // a parameter that is a function stands for a pointer to it
			star = "*" + ls[0].quals
			ls = ls[1:]
		}
		if star != "*" && inner != "" && inner[0] != '[' && inner[0] != ')' {
			star += " "
		}
		elem := x.Elem()
		if own := f.resolved(elem); own == cc.Function || own == cc.Array {
			return f.declare(elem, ls, "("+star+inner+")")
		}
		return f.declare(elem, ls, star+inner)
	case *cc.ArrayType:
		n := ""
		if x.Len() >= 0 && !x.IsIncomplete() {
			n = strconv.FormatInt(x.Len(), 10)
		}
		return f.declare(x.Elem(), behind(ls, 1), inner+"["+n+"]")
	case *cc.FunctionType:
		return f.declare(x.Result(), behind(ls, 1), inner+"("+f.paramText(x)+")")
	}
	return join(quals(t)+f.baseText(t), inner)
}

// baseText names a type that is neither pointer, array nor function.
func (f *facts) baseText(t cc.Type) string {
	switch x := t.(type) {
	case *cc.StructType:
		return f.tagText("struct", x.Tag(), x)
	case *cc.UnionType:
		return f.tagText("union", x.Tag(), x)
	case *cc.EnumType:
		return f.enumText(x)
	}
	if name, ok := kindNames[t.Kind()]; ok {
		return name
	}
	return t.Kind().String()
}

// resolved is the kind of t, or InvalidKind for a typedef that keeps its name.
func (f *facts) resolved(t cc.Type) cc.Kind {
	if f.systemTypedef(t) != "" {
		return cc.InvalidKind
	}
	return t.Kind()
}

// systemTypedef is the name of a system header's typedef that t was declared with, be it by another name of the header's
// own; empty for any other type.
func (f *facts) systemTypedef(t cc.Type) string {
	d := t.Typedef()
	switch {
	case d == nil || d.Name() == "":
		return ""
	case f.ours(d.NameTok().Position()):
		return f.renamed[d.Name()]
	}
	return d.Name()
}

func (f *facts) paramText(ft *cc.FunctionType) string {
	var list []string
	for _, p := range f.params(ft) {
		list = append(list, p.Type)
	}
	if ft.IsVariadic() {
		list = append(list, "...")
	}
	if len(list) == 0 {
		return "void"
	}
	return strings.Join(list, ", ")
}

// tagText names a record, and remembers the use of one that may turn out to be undefined.
func (f *facts) tagText(keyword string, tag cc.Token, t cc.Type) string {
	if name := tag.SrcStr(); name != "" {
		full := keyword + " " + name
		if t.IsIncomplete() {
			f.mentioned = append(f.mentioned, mention{full, tag.Position()})
		}
		return full
	}
	if name, ok := f.unnamed[recordKey(t)]; ok {
		return name
	}
	return keyword + " <anonymous>"
}

func (f *facts) enumText(t *cc.EnumType) string {
	if tag := t.Tag(); tag.SrcStr() != "" {
		return "enum " + tag.SrcStr()
	}
	return f.anonymousEnum(t)
}

// anonymousEnum is the made-up tag of an enum without one. They are numbered in the order in which they are met.
func (f *facts) anonymousEnum(t *cc.EnumType) string {
	list := t.Enumerators()
	if len(list) == 0 {
		return "enum <anonymous>"
	}
	key := list[0].Token.Position().String()
	if _, ok := f.unnamed[key]; !ok {
		f.anonEnums++
		f.unnamed[key] = fmt.Sprintf("enum <anonymous %d>", f.anonEnums)
	}
	return f.unnamed[key]
}

// recordKey identifies a record without a tag by its first field. Its place would not do: two records may come out of one macro.
func recordKey(t cc.Type) string {
	r, ok := t.(fielder)
	if !ok {
		return ""
	}
	for i := range r.NumFields() {
		field := r.FieldByIndex(i)
		if d := field.Declarator(); d != nil {
			return fmt.Sprintf("%v %p", t.Kind(), d)
		}
		if key := recordKey(field.Type()); key != "" {
			return fmt.Sprint(t.Kind(), " of ", key)
		}
	}
	return ""
}

// fielder is a struct or a union.
type fielder interface {
	cc.Type
	NumFields() int
	FieldByIndex(i int) *cc.Field
	Tag() cc.Token
}

func quals(t cc.Type) string {
	s := ""
	if a := t.Attributes(); a != nil {
		if a.IsConst() {
			s += "const "
		}
		if a.IsVolatile() {
			s += "volatile "
		}
	}
	return s
}

func join(base, inner string) string {
	if inner == "" || inner[0] == '[' {
		return base + inner
	}
	return base + " " + inner
}
