package cheader

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// layouter lays types out as gcc and clang do on linux, off the syntax tree: the C parser drops or misreads packed and aligned types,
// enums with attributes and many bit fields, and says nothing. An attribute that is not known here is an error of each
// record that holds such a type, never a guess.
type layouter struct {
	arch     string
	place    func(file string) string
	own      func(typedef string) bool // the typedef is no stub's
	typedefs map[string]extent
	records  map[string]*placement // by recordID
	enums    map[string]extent     // by tag
	odd      map[string]bool       // tags and typedefs whose layouts differ from the C parser's, so that its sizeof is wrong
}

// extent is the size and alignment of a type.
type extent struct {
	size, align int64
	user        bool       // a typedef or an attribute set the alignment
	open        bool       // an array without a length
	bad         *diag.Diag // why neither is known
}

// placement is the layout of one record.
type placement struct {
	extent
	members []place // as the C parser numbers the fields
}

// place is where a member is, in bits from the start of its record.
type place struct {
	at     int64
	extent       // of its type
	width  int64 // of a bit field
	bits   bool
	quals  string // "const ", of its specifiers: the C parser's types of members lack them
}

// stubsOnARM64 are the types of the stub headers and of the compiler that are larger on arm64.
var stubsOnARM64 = map[string]extent{"pthread_mutex_t": {size: 48, align: 8}, "__builtin_va_list": {size: 32, align: 8}}

const (
	amd64 = "amd64"
	arm64 = "arm64"
)

// memberFix is how a type whose layout is unknown is declared all the same.
const memberFix = "in a copy of the header, replace it with an array of bytes, or with integers, of the same size and alignment"

func newLayouter(ast *cc.AST, arch string, place func(string) string, own func(string) bool) *layouter {
	l := &layouter{arch: arch, place: place, own: own,
		odd: map[string]bool{}, typedefs: map[string]extent{}, records: map[string]*placement{}, enums: map[string]extent{}}
	for tu := ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		switch ed := tu.ExternalDeclaration; ed.Case {
		case cc.ExternalDeclarationFuncDef:
			l.base(declarationParts(ed.FunctionDefinition.DeclarationSpecifiers))
		case cc.ExternalDeclarationDecl:
			if ed.Declaration.Case == cc.DeclarationDecl {
				l.declaration(ed.Declaration)
			}
		}
	}
	return l
}

func (l *layouter) refuse(tok cc.Token, subject, format string, args ...any) *diag.Diag {
	at := tok.Position()
	d := diag.New(diag.HeaderUnsupported, l.place(at.Filename), at.Line, at.Column, subject, fmt.Sprintf(format, args...), memberFix)
	return &d
}

// declaration takes the typedefs of a declaration, and the types that are defined in it.
func (l *layouter) declaration(d *cc.Declaration) {
	parts := declarationParts(d.DeclarationSpecifiers)
	base, shared := l.base(parts)
	before := (*cc.AttributeSpecifierList)(nil)
	for list := d.InitDeclaratorList; list != nil; list = list.InitDeclaratorList {
		if list.AttributeSpecifierList != nil {
			before = list.AttributeSpecifierList
		}
		dec := list.InitDeclarator.Declarator
		if !dec.IsTypename() {
			continue
		}
		a := l.attributes(list.InitDeclarator.AttributeSpecifierList, before, d.AttributeSpecifierList).with(shared)
		e := l.declared(base, dec)
		switch {
		case a.bad != nil:
			e.bad = a.bad
		case a.packed != nil:
			e.bad = l.refuse(*a.packed, dec.Name(), "the typedef is packed, which compilers take in different ways")
		case a.align > 0:
			e.align, e.user = a.align, true
		}
		if larger, ok := stubsOnARM64[dec.Name()]; ok && l.arch == arm64 && !l.own(dec.NameTok().Position().Filename) {
			e = larger
		}
		if t := dec.Type(); t.Kind() != cc.Function && !t.IsIncomplete() &&
			(e.bad != nil || e.size != max(0, t.Size()) || e.align != max(1, int64(t.Align()))) {
			l.odd[dec.Name()] = true
		}
		l.typedefs[dec.Name()] = e
	}
}

// part is one specifier of a declaration, either of a member or of another name.
type part struct {
	typ   *cc.TypeSpecifier
	attr  *cc.AttributeSpecifierList
	align *cc.AlignmentSpecifier
	qual  *cc.TypeQualifier
}

func newPart(typ *cc.TypeSpecifier, attr *cc.AttributeSpecifierList, align *cc.AlignmentSpecifier, qual *cc.TypeQualifier) part {
	if qual != nil {
		attr = qual.AttributeSpecifierList
	}
	return part{typ, attr, align, qual}
}

func declarationParts(ds *cc.DeclarationSpecifiers) (list []part) {
	for ; ds != nil; ds = ds.DeclarationSpecifiers {
		list = append(list, newPart(ds.TypeSpecifier, ds.AttributeSpecifierList, ds.AlignmentSpecifier, ds.TypeQualifier))
	}
	return list
}

func memberParts(q *cc.SpecifierQualifierList) (list []part) {
	for ; q != nil; q = q.SpecifierQualifierList {
		list = append(list, newPart(q.TypeSpecifier, q.AttributeSpecifierList, q.AlignmentSpecifier, q.TypeQualifier))
	}
	return list
}

// base is the type that specifiers name, and the attributes among them that are those of the declared names.
func (l *layouter) base(parts []part) (e extent, a attributes) {
	var words []cc.TypeSpecifierCase
	var last cc.Token
	whole := false // a type that one specifier names
	for i, p := range parts {
		if p.qual != nil {
			a = a.with(l.qualifier(p.qual))
		}
		if p.align != nil {
			a = a.with(l.alignas(p.align))
		}
		if i == 0 || parts[i-1].typ == nil || parts[i-1].typ.Case != cc.TypeSpecifierEnum {
			a = a.with(l.attributes(p.attr))
		}
		if p.typ == nil {
			continue
		}
		switch t := p.typ; t.Case {
		case cc.TypeSpecifierStructOrUnion:
			var more attributes
			e, more = l.recordSpecifier(t.StructOrUnionSpecifier)
			a, whole = a.with(more), true
		case cc.TypeSpecifierEnum:
			var behind *cc.AttributeSpecifierList
			if i+1 < len(parts) {
				behind = parts[i+1].attr
			}
			e, whole = l.enum(t.EnumSpecifier, behind), true
		case cc.TypeSpecifierTypeName:
			e, whole = l.named(t.Token), true
		case cc.TypeSpecifierTypeofExpr, cc.TypeSpecifierTypeofType, cc.TypeSpecifierAtomic:
			tok := cc.NodeTokens(t)[0]
			e, whole = extent{align: 1, bad: l.refuse(tok, tok.SrcStr(), "the layout of this type is not known")}, true
		default:
			words, last = append(words, t.Case), t.Token
		}
	}
	if !whole {
		e = l.scalar(words, last)
	}
	return e, a
}

func (l *layouter) qualifier(q *cc.TypeQualifier) attributes {
	switch q.Case {
	case cc.TypeQualifierConst:
		return attributes{quals: "const "}
	case cc.TypeQualifierVolatile:
		return attributes{quals: "volatile "}
	case cc.TypeQualifierAtomic:
		return attributes{bad: l.refuse(q.Token, "_Atomic", "the layout of an atomic type is not known")}
	}
	return attributes{}
}

func (l *layouter) named(tok cc.Token) extent {
	if e, ok := l.typedefs[tok.SrcStr()]; ok {
		return e
	}
	return extent{align: 1, bad: l.refuse(tok, tok.SrcStr(), "the layout of this type is not known")}
}

// sizes are those of the words of scalar types.
var sizes = map[cc.TypeSpecifierCase]int64{
	cc.TypeSpecifierVoid: 1, cc.TypeSpecifierChar: 1, cc.TypeSpecifierBool: 1, cc.TypeSpecifierShort: 2,
	cc.TypeSpecifierInt: 4, cc.TypeSpecifierSigned: 4, cc.TypeSpecifierUnsigned: 4, cc.TypeSpecifierFloat: 4,
	cc.TypeSpecifierLong: 8, cc.TypeSpecifierDouble: 8, cc.TypeSpecifierInt128: 16,
}

// scalar is a type of several words, such as unsigned long long int.
func (l *layouter) scalar(words []cc.TypeSpecifierCase, tok cc.Token) extent {
	size := int64(4)
	for _, w := range words {
		switch n := sizes[w]; n {
		case 0:
			return extent{align: 1, bad: l.refuse(tok, tok.SrcStr(), "the layout of this type is not known")}
		case 4:
		default:
			size = n
		}
	}
	if slices.Contains(words, cc.TypeSpecifierLong) && slices.Contains(words, cc.TypeSpecifierDouble) {
		size = 16
	}
	return extent{size: size, align: size}
}

// enum is the extent of an enum: that of an int, or of a long when a value needs it.
func (l *layouter) enum(s *cc.EnumSpecifier, behind *cc.AttributeSpecifierList) extent {
	tag := s.Token2.SrcStr()
	if s.Case == cc.EnumSpecifierTag {
		if e, ok := l.enums[tag]; ok {
			return e
		}
		return extent{align: 1, bad: l.refuse(s.Token, "enum "+tag, "the enum is used before it is defined")}
	}
	t, ok := s.Type().(*cc.EnumType)
	if !ok {
		return extent{align: 1, bad: l.refuse(s.Token, "enum "+tag, "the layout of the enum is not known")}
	}
	e := extent{size: 4, align: 4}
	if minimum, maximum := t.Min(), t.Max(); minimum < -1<<31 || maximum > 1<<32-1 || minimum < 0 && maximum > 1<<31-1 {
		e = extent{size: 8, align: 8}
	}
	a := l.attributes(behind)
	switch {
	case a.bad != nil:
		e.bad = a.bad
	case a.packed != nil:
		e.bad = l.refuse(*a.packed, "enum "+tag, "the enum is packed: it is smaller than an int, and the generated C declares an int")
	case a.align > 0:
		e.bad = l.refuse(*a.tok, "enum "+tag, "the enum is aligned, and the generated C declares it without")
	case s.EnumTypeSpecifier != nil:
		e.bad = l.refuse(s.Token, "enum "+tag, "the enum has a type of its own, and the generated C declares an int")
	}
	for list := s.EnumeratorList; list != nil; list = list.EnumeratorList {
		if bad := l.constant(list.Enumerator.ConstantExpression, "enum "+tag); bad != nil {
			e.bad = bad
		}
	}
	if tag != "" {
		l.odd[tag] = e.bad != nil
		l.enums[tag] = e
	}
	return e
}

// declared is the extent of a name that a declarator makes of a type.
func (l *layouter) declared(base extent, d *cc.Declarator) extent {
	if bad := l.pointerAttributes(d); bad != nil {
		return extent{align: 1, bad: bad}
	}
	ls := layers(d)
	var lengths []int64
	t := d.Type()
	for _, step := range ls {
		if step.kind != 'a' {
			base = extent{size: 8, align: 8}
			if step.kind == 'f' {
				base = extent{size: 1, align: 1}
			}
			break
		}
		array, ok := t.(*cc.ArrayType)
		if !ok {
			return extent{align: 1, bad: l.refuse(d.NameTok(), d.Name(), "the type of the array is not known")}
		}
		n := array.Len()
		if array.IsIncomplete() && n <= 0 && array.SizeExpression() == nil {
			n = -1
		}
		if bad := l.constant(array.SizeExpression(), d.Name()); bad != nil {
			base.bad = bad
		}
		lengths = append(lengths, n)
		t = array.Elem()
	}
	for _, n := range slices.Backward(lengths) {
		base.open = n < 0
		base.size *= max(0, n)
	}
	return base
}

// pointerAttributes refuses attributes behind a star: aligned there is taken in different ways.
func (l *layouter) pointerAttributes(d *cc.Declarator) *diag.Diag {
	for p := d.Pointer; p != nil; p = p.Pointer {
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			if q.TypeQualifier == nil {
				continue
			}
			if a := l.attributes(q.TypeQualifier.AttributeSpecifierList); a.bad != nil || a.tok != nil {
				return l.refuse(p.Token, d.Name(), "attributes behind a star are taken in different ways")
			}
		}
	}
	return nil
}

// constant refuses an expression that asks for the size of something that the C parser has wrong.
func (l *layouter) constant(e cc.ExpressionNode, subject string) *diag.Diag {
	if e == nil || len(l.odd) == 0 {
		return nil
	}
	var asks *cc.Token
	for _, tok := range cc.NodeTokens(e) {
		switch word := tok.SrcStr(); {
		case asksSize(word):
			asks = &tok
		case asks != nil && l.odd[word]:
			return l.refuse(*asks, subject, "the value depends on the layout of %s, and cannot be computed", word)
		}
	}
	return nil
}

func asksSize(word string) bool {
	switch strings.Trim(word, "_") {
	case "sizeof", "alignof", "Alignof", "offsetof", "builtin_offsetof":
		return true
	}
	return false
}
