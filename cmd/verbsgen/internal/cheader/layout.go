package cheader

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
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

// recordSpecifier lays out a record that is defined here, or finds it. The attributes behind a tag are those of the declared names.
func (l *layouter) recordSpecifier(s *cc.StructOrUnionSpecifier) (extent, attributes) {
	if s.Case != cc.StructOrUnionSpecifierDef {
		a := l.attributes(s.AttributeSpecifierList2)
		if inner := l.attributes(s.AttributeSpecifierList); inner.bad != nil || inner.tok != nil {
			tok := s.Token
			a.bad = l.refuse(tok, recordName(s), "attributes before a tag that is defined elsewhere are taken in different ways")
		}
		if p := l.records[recordID(s.Type())]; p != nil {
			return p.extent, a
		}
		return extent{align: 1}, a // incomplete: complete tells where it is used by value
	}
	p := &placement{}
	odd := len(l.odd)
	l.arrange(s, p)
	if t, ok := s.Type().(fielder); ok {
		if p.bad == nil && len(p.members) != t.NumFields() {
			p.bad = l.refuse(s.Token2, recordName(s), "the C parser counts %d members, and there are %d", t.NumFields(), len(p.members))
		}
		if p.bad != nil || !p.agrees(t) || len(l.odd) > odd {
			l.odd[cmp.Or(s.Token.SrcStr(), recordID(t))] = true
		}
		l.records[recordID(t)] = p
	}
	return p.extent, attributes{}
}

// agrees reports whether the C parser lays a record out in the same way.
func (p *placement) agrees(t fielder) bool {
	for i, m := range p.members {
		if f := t.FieldByIndex(i); !m.bits && (f.Offset() != m.at/8 || max(0, f.Type().Size()) != m.size) {
			return false
		}
	}
	return p.size == max(0, t.Size()) && p.align == max(1, int64(t.Align()))
}

// filling is a record that is being laid out.
type filling struct {
	union, packed bool
	end           int64 // in bits
	align         int64
}

func (l *layouter) arrange(s *cc.StructOrUnionSpecifier, p *placement) {
	a := l.attributes(s.AttributeSpecifierList, s.AttributeSpecifierList2)
	p.bad = a.bad
	at := &filling{union: s.StructOrUnion.Case == cc.StructOrUnionUnion, packed: a.packed != nil, align: 1}
	for list := s.StructDeclarationList; list != nil; list = list.StructDeclarationList {
		d := list.StructDeclaration
		if d.Case != cc.StructDeclarationDecl {
			continue
		}
		last := list.StructDeclarationList == nil
		base, shared := l.base(memberParts(d.SpecifierQualifierList))
		if d.StructDeclaratorList == nil {
			l.member(p, at, d, nil, base, shared, last)
		}
		for m := d.StructDeclaratorList; m != nil; m = m.StructDeclaratorList {
			attrs := shared
			if m.StructDeclaratorList == nil {
				attrs = attrs.with(l.attributes(d.AttributeSpecifierList))
			}
			l.member(p, at, d, m.StructDeclarator, base, attrs, last && m.StructDeclaratorList == nil)
		}
	}
	p.align = max(at.align, a.align)
	p.user = a.align > 0
	p.size = roundUp(roundUp(at.end, 8)/8, p.align)
}

// member places one member, sd, which is nil for a record without a name.
func (l *layouter) member(p *placement, at *filling, d *cc.StructDeclaration, sd *cc.StructDeclarator, e extent, a attributes, last bool) {
	toks := cc.NodeTokens(d)
	tok, name := toks[0], "member"
	if sd != nil && sd.Declarator != nil {
		e = l.declared(e, sd.Declarator)
		tok, name = sd.Declarator.NameTok(), sd.Declarator.Name()
	}
	bad := e.bad
	if bad == nil {
		bad = a.bad
	}
	m := place{extent: e, quals: a.quals}
	start := at.end
	if at.union {
		start = 0
	}
	if sd != nil && sd.Case == cc.StructDeclaratorBitField {
		width, ok := integer(sd.ConstantExpression.Value())
		if unsure := l.constant(sd.ConstantExpression, name); bad == nil && unsure != nil {
			bad = unsure
		}
		m.bits, m.width = true, width.bits
		packed := at.packed || a.packed != nil
		switch {
		case bad != nil:
		case !ok || m.width < 0 || m.width > 8*e.size:
			bad = l.refuse(tok, name, "the width of the bit field cannot be computed")
		case a.align > 0 || e.user || e.align != e.size || e.size > 8:
			bad = l.refuse(tok, name, "the layout of a bit field that is aligned, or wider than 64 bits, is not known")
		case m.width == 0 && packed:
			bad = l.refuse(tok, name, "the layout of a packed bit field without bits is not known")
		}
		m.at = at.bits(start, m, packed, sd.Declarator != nil || l.arch == arm64)
		at.end = max(at.end, m.at+m.width)
	} else {
		align := e.align
		if at.packed || a.packed != nil {
			align = 1
		}
		if align = max(align, a.align, 1); bad == nil && e.open && !last {
			bad = l.refuse(tok, name, "an array without a length is not the last member")
		}
		m.at = roundUp(start, 8*align)
		at.align = max(at.align, align)
		at.end = max(at.end, m.at+8*e.size)
	}
	if p.bad == nil {
		p.bad = bad
	}
	p.members = append(p.members, m)
}

// bits finds the place of a bit field. It does not cross a boundary of its type, and aligns the record as its type does, unless
// it is packed; on amd64 one without a name does not align it.
func (at *filling) bits(start int64, m place, packed, aligns bool) int64 {
	if packed || m.size == 0 {
		return start
	}
	if aligns {
		at.align = max(at.align, m.align)
	}
	if unit := 8 * m.size; m.width == 0 || start%unit+m.width > unit {
		return roundUp(start, unit)
	}
	return start
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

// attributes is what attributes say about a layout.
type attributes struct {
	align       int64
	tok, packed *cc.Token // of the last that says something
	bad         *diag.Diag
	quals       string // "const ", "volatile " or both in this order
}

// with joins attributes of one declaration.
func (a attributes) with(b attributes) attributes {
	a.align = max(a.align, b.align)
	if b.tok != nil {
		a.tok = b.tok
	}
	if b.packed != nil {
		a.packed = b.packed
	}
	if a.bad == nil {
		a.bad = b.bad
	}
	if a.quals += b.quals; a.quals == "volatile const " {
		a.quals = "const volatile "
	}
	return a
}

func (l *layouter) alignas(s *cc.AlignmentSpecifier) (a attributes) {
	if s.Case == cc.AlignmentSpecifierType {
		e, _ := l.base(memberParts(s.TypeName.SpecifierQualifierList))
		if s.TypeName.AbstractDeclarator != nil || e.bad != nil {
			e.bad = l.refuse(s.Token, "_Alignas", "the alignment of this type is not known")
		}
		return attributes{align: e.align, tok: &s.Token, bad: e.bad}
	}
	return l.aligned(s.Token, s.ConstantExpression)
}

func (l *layouter) aligned(tok cc.Token, e cc.ExpressionNode) attributes {
	n, ok := integer(e.Value())
	bad := l.constant(e, tok.SrcStr())
	if bad == nil && (!ok || n.bits < 0 || n.bits&(n.bits-1) != 0 || n.bits > 1<<28) {
		bad = l.refuse(tok, tok.SrcStr(), "the alignment cannot be computed")
	}
	return attributes{align: n.bits, tok: &tok, bad: bad}
}

func (l *layouter) attributes(lists ...*cc.AttributeSpecifierList) (a attributes) {
	for _, list := range lists {
		for ; list != nil; list = list.AttributeSpecifierList {
			for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
				if v.AttributeValue != nil {
					a = a.with(l.attribute(v.AttributeValue))
				}
			}
		}
	}
	return a
}

// biggest is the alignment of aligned without a number.
const biggest = 16

func (l *layouter) attribute(v *cc.AttributeValue) attributes {
	tok := v.Token
	switch name := strings.Trim(tok.SrcStr(), "_"); {
	case name == "packed":
		return attributes{tok: &tok, packed: &tok}
	case name == "aligned" && v.Case == cc.AttributeValueIdent:
		return attributes{tok: &tok, align: biggest}
	case name == "aligned" && v.ArgumentExpressionList != nil && v.ArgumentExpressionList.AssignmentExpression != nil:
		return l.aligned(tok, v.ArgumentExpressionList.AssignmentExpression)
	case slices.Contains(harmless, name):
		return attributes{}
	}
	return attributes{tok: &tok, bad: l.refuse(tok, tok.SrcStr(), "verbsgen does not know what this attribute does to the layout")}
}

// harmless are attributes that leave the layout of a type alone.
var harmless = strings.Fields(`access alloc_align alloc_size always_inline artificial assume_aligned availability btf_decl_tag
	btf_type_tag cdecl cold const counted_by counted_by_or_null deprecated designated_init diagnose_if enum_extensibility error
	externally_visible flag_enum format format_arg gnu_inline guarded_by hot leaf malloc may_alias no_randomize_layout noclone noderef
	noinline nonnull nonstring noreturn nothrow null_terminated_string_arg optimize preserve_access_index pt_guarded_by pure
	returns_nonnull sentinel sized_by transparent_union unavailable unused used user visibility warn_if_not_aligned
	warn_unused_result warning weak`)

func recordName(s *cc.StructOrUnionSpecifier) string {
	return strings.TrimSpace(keyword(s.Type()) + " " + s.Token.SrcStr())
}

// recordID names a record by its tag, or by its first field.
func recordID(t cc.Type) string {
	if r, ok := t.(fielder); ok {
		if tag := r.Tag(); tag.SrcStr() != "" {
			return keyword(t) + " " + tag.SrcStr()
		}
	}
	return recordKey(t)
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// layout lists the fields of a record as the flattener does, from base on, and the bits of bit fields.
func (l *layouter) layout(t fielder, base int64, out *api.Layout, bits *[]int) {
	p := l.records[recordID(t)]
	if p == nil || len(p.members) != t.NumFields() {
		return
	}
	for i, m := range p.members {
		offset, bit := m.unit(base)
		out.Offsets, out.Sizes, *bits = append(out.Offsets, offset), append(out.Sizes, m.size), append(*bits, bit)
		if inner := member(t.FieldByIndex(i).Type()); inner != nil {
			l.layout(inner, offset, out, bits)
		}
	}
}

// unit is the offset of a member of a record at base; for a bit field of the unit of its type that it begins in, with its bits
// counted from there.
func (m place) unit(base int64) (offset int64, bit int) {
	at := 8*base + m.at
	if !m.bits || m.size == 0 {
		return at / 8, 0
	}
	offset = at / (8 * m.size) * m.size
	return offset, int(at - 8*offset)
}

// member is the record without a tag or a name that a member is, or nil.
func member(t cc.Type) fielder {
	if d := t.Typedef(); d != nil && d.Name() != "" {
		return nil
	}
	if r, ok := unnamedRecord(t); ok {
		return r
	}
	return nil
}

// addARM64 adds to each record that is laid out differently on arm64 that layout. The header is read again where it asks for the
// machine.
func (f *facts) addARM64() (list diag.List) {
	there, p := f, *f.p
	read := f.in.asksMachine()
	if p.opts.system != nil { // its headers are those of amd64
		p.opts.system = systemOf(arm64)
		none := p.opts.system.folders == nil
		if none && read && f.p.opts.system.folders != nil {
			return diag.List{diag.New(diag.HeaderUnsupported, p.opts.Header, 1, 1, "header",
				"it declares something for each machine, and includes system headers, which are not at hand for arm64",
				"install a C compiler for aarch64-linux-gnu")}
		}
		read = !none || read
	}
	if read {
		ast, in, errs := p.translate(arm64)
		if len(errs) > 0 {
			return errs
		}
		there = newFacts(&p, ast, in)
		there.read()
	}
	lay := newLayouter(there.ast, arm64, f.in.place, there.lay.own)
	list = f.sameConstants(there, lay)
	for i := range f.rel.Records {
		r := &f.rel.Records[i]
		refuse := func(problem, fix string) {
			list.Add(diag.New(diag.HeaderUnsupported, f.in.place(r.Pos.File), r.Pos.Line, r.Pos.Col, r.Tag, problem, fix))
		}
		t, ok := there.layouts[r.Tag]
		if r.Incomplete || ok && lay.records[recordID(t)] == nil {
			continue
		}
		if !ok || !slices.EqualFunc(r.Fields, there.rel.Records[there.records[r.Tag]].Fields, sameField) {
			refuse("it has other members on arm64 than on amd64", "declare the same members for both")
			continue
		}
		p := lay.records[recordID(t)]
		l, bits := &api.Layout{Size: p.size, Align: p.align}, []int{}
		lay.layout(t, 0, l, &bits)
		if sameLayout(l, layout(r)) || p.bad != nil { // told on amd64
			continue
		}
		r.ARM64 = l
		for j, m := range r.Fields {
			if m.BitOffset != nil && *m.BitOffset != bits[j] {
				refuse("its bit fields begin at other bits on arm64 than on amd64", memberFix)
				break
			}
		}
	}
	return list
}

// sameConstants leaves out macros whose values are others on arm64, and refuses such enumerators.
func (f *facts) sameConstants(there *facts, lay *layouter) (list diag.List) {
	differ := map[string]bool{}
	for name, e := range f.lay.typedefs {
		differ[name] = e.size != lay.typedefs[name].size
	}
	for id, p := range f.lay.records {
		other, ok := lay.records[id]
		if _, tag, tagged := strings.Cut(id, " "); tagged {
			differ[tag] = differ[tag] || ok && other.size != p.size
		}
	}
	f.rel.Macros = slices.DeleteFunc(f.rel.Macros, func(m api.Macro) bool {
		def, other := f.ast.Macros[m.Name], there.ast.Macros[m.Name]
		if other != nil && slices.Equal(words(def), words(other)) && !f.asksSizeOf(differ, def, map[string]bool{}) {
			return false
		}
		if f.p.opts.Note != nil && f.in.isOwn(m.Pos.File) {
			f.p.opts.Note(fmt.Sprintf("%s is left out: it has another value on arm64 than on amd64", m.Name))
		}
		return true
	})
	values := map[string]int64{}
	for _, e := range there.rel.Enums {
		for _, m := range e.Enumerators {
			values[m.Name] = m.Value
		}
	}
	for _, e := range f.rel.Enums {
		for _, m := range e.Enumerators {
			if v, ok := values[m.Name]; !ok || v != m.Value {
				list.Add(diag.New(diag.HeaderUnsupported, f.in.place(e.Pos.File), m.Line, 1, m.Name,
					"it has another value on arm64 than on amd64", "in a copy of the header, remove it"))
			}
		}
	}
	return list
}

// sameField compares what does not depend on where a field is, nor on the length of an array.
func sameField(a, b api.Field) bool {
	return a.Name == b.Name && (a.BitSize == nil) == (b.BitSize == nil)
}

func layout(r *api.Record) *api.Layout {
	l := &api.Layout{Size: r.Size, Align: r.Align}
	for _, m := range r.Fields {
		l.Offsets = append(l.Offsets, m.Offset)
		l.Sizes = append(l.Sizes, m.Size)
	}
	return l
}

func sameLayout(a, b *api.Layout) bool {
	return a.Size == b.Size && a.Align == b.Align && slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Sizes, b.Sizes)
}

// CheckWritten holds records that were written in C again, in text, against the facts that they were written from: attributes of
// members, and the like, are not among the facts.
func CheckWritten(text []byte, rel *api.Release) error {
	dir, err := os.MkdirTemp("", "verbsgen-types-")
	header := filepath.Join(dir, "types.h")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.WriteFile(header, text, 0o600)
	}
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, os.TempDir(), 0, 0, "TMPDIR", "the layouts cannot be compared there: "+err.Error(),
			"set TMPDIR to a folder that can be written to"))
	}
	written, err := Parse(Options{Header: header})
	if err != nil {
		return fmt.Errorf("the C that was written from the facts cannot be read: %w", err)
	}
	again := map[string]*api.Record{}
	for i := range written.Records {
		again[written.Records[i].Tag] = &written.Records[i]
	}
	var list diag.List
	for i := range rel.Records {
		r := &rel.Records[i]
		w := again[r.Tag]
		if w == nil || w.Incomplete || r.Incomplete || sameRecord(r, w) {
			continue
		}
		list.Add(diag.New(diag.HeaderUnsupported, r.Pos.File, r.Pos.Line, r.Pos.Col, r.Tag,
			"its layout comes from attributes of its members or types, or differs between machines, and the generated C cannot repeat it",
			memberFix))
	}
	return list.Err()
}

// sameRecord reports whether two records are laid out alike on each architecture.
func sameRecord(a, b *api.Record) bool {
	onARM64 := func(r *api.Record) *api.Layout {
		if r.ARM64 != nil {
			return r.ARM64
		}
		return layout(r)
	}
	bits := func(f, g api.Field) bool {
		return (f.BitSize == nil) == (g.BitSize == nil) && (f.BitSize == nil || *f.BitSize == *g.BitSize && *f.BitOffset == *g.BitOffset)
	}
	return sameLayout(layout(a), layout(b)) && sameLayout(onARM64(a), onARM64(b)) && slices.EqualFunc(a.Fields, b.Fields, bits)
}
