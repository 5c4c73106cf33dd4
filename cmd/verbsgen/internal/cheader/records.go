package cheader

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
	"modernc.org/token"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// recordSpecifier takes the definition of a struct or union, and those inside it.
func (f *facts) recordSpecifier(s *cc.StructOrUnionSpecifier) {
	if s.Case != cc.StructOrUnionSpecifierDef {
		return
	}
	pos := s.Position()
	if !f.ours(pos) && !foreignFact(pos) {
		return
	}
	t, ok := s.Type().(fielder)
	if !ok {
		return
	}
	if name := s.Token.SrcStr(); name != "" {
		at := s.Token.Position()
		if !f.ours(at) && !foreignFact(at) { // the tag came out of a macro
			at = pos
		}
		f.record(keyword(t)+" "+name, t, at)
	}
	for l := s.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		if d := l.StructDeclaration; d.Case == cc.StructDeclarationDecl {
			for q := d.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
				if q.Case == cc.SpecifierQualifierListTypeSpec {
					f.specifier(q.TypeSpecifier)
				}
			}
		}
	}
}

func keyword(t cc.Type) string {
	if t.Kind() == cc.Union {
		return "union"
	}
	return "struct"
}

// record adds a record under its tag.
func (f *facts) record(tag string, t fielder, pos token.Position) {
	if _, ok := f.records[tag]; ok {
		return
	}
	i := len(f.rel.Records)
	f.records[tag] = i
	f.tags[tag] = true
	f.layouts[tag] = t
	p := f.lay.records[recordID(t)]
	if p == nil {
		f.errorf(diag.HeaderUnsupported, pos, tag, "define it in a declaration of its own",
			"the record is defined inside an expression or a parameter")
		p = &placement{}
	}
	if f.in.isOwn(pos.Filename) {
		f.tell(p.bad) // of another library's it is told where it is held by value
	}
	f.rel.Records = append(f.rel.Records, api.Record{Tag: tag, Size: p.size, Align: p.align, Pos: f.pos(pos)})
	fl := &flattener{facts: f, tag: tag, owner: tag[strings.IndexByte(tag, ' ')+1:], pos: pos}
	fl.members(t, "", 0)
	f.rel.Records[i].Fields = fl.fields
	for _, later := range fl.later {
		f.record(later.tag, later.typ, later.pos)
	}
}

// flattener lists the fields of one record, those of unnamed member records included.
type flattener struct {
	*facts
	tag    string // of the whole record
	owner  string // the same without its keyword
	pos    token.Position
	count  int // of unnamed records so far
	fields []api.Field
	later  []laterRecord // unnamed ones that are not members themselves: elements of arrays, targets of pointers
}

type laterRecord struct {
	tag string
	typ fielder
	pos token.Position
}

// members adds the fields of t, which starts at base; prefix is what their names begin with.
func (fl *flattener) members(t fielder, prefix string, base int64) {
	p := fl.lay.records[recordID(t)]
	for i := range t.NumFields() {
		var at place
		if p != nil && i < len(p.members) {
			at = p.members[i]
		}
		fl.member(t.FieldByIndex(i), at, prefix, base)
	}
}

func (fl *flattener) member(m *cc.Field, at place, prefix string, base int64) {
	t := m.Type()
	pos := fl.memberPos(m)
	inner := fl.nameUnnamed(t, pos)
	offset, bit := at.unit(base)
	field := api.Field{Name: prefix + m.Name(), Offset: offset, Size: at.size, Pos: fl.facts.pos(pos)}
	if m.Name() == "" {
		field.Name = ""
	}
	if _, unnamed := unnamedRecord(t); m.Name() == "" && !unnamed && !m.IsBitfield() {
		fl.errorf(diag.HeaderSyntax, pos, fl.tag, "give the member a name, or remove it",
			"the member of type %s has no name: in C it declares nothing", fl.typeText(t, nil))
		return
	}
	fl.complete(m, field.Name, pos)
	ls := layers(m.Declarator())
	field.Type = at.qualified(fl.typeText(t, ls))
	if field.Func = fl.pointedFunction(t, ls); field.Func != nil {
		field.Func.Ret = at.qualified(field.Func.Ret)
	}
	if at.bits {
		width := int(at.width)
		field.BitOffset, field.BitSize = &bit, &width
	}
	fl.fields = append(fl.fields, field)
	if inner != nil {
		next := prefix
		if m.Name() != "" {
			next = prefix + m.Name() + "."
		}
		fl.members(inner, next, field.Offset)
	}
}

// qualified puts the qualifiers of a member before the text of its type; both begin with the base.
func (m place) qualified(text string) string {
	return m.quals + strings.TrimPrefix(text, m.quals)
}

// complete reports a member of a type that is never defined: the parser would lay the record out wrongly.
func (fl *flattener) complete(m *cc.Field, name string, pos token.Position) {
	t := m.Type()
	for t.Kind() == cc.Array {
		if a, ok := t.(*cc.ArrayType); ok && a.Elem().Kind() != cc.Array && !a.Elem().IsIncomplete() {
			return // only its length may be open: a flexible array
		}
		t = t.(*cc.ArrayType).Elem()
	}
	if t.Kind() == cc.Ptr || !t.IsIncomplete() {
		return
	}
	if _, ok := unnamedRecord(t); ok {
		return // defined here; a member of it is the cause, and told
	}
	fl.errorf(diag.HeaderIncomplete, pos, fl.tag+"."+name, "define it in the header, or include the header that does",
		"%s is used by value and never defined", fl.typeText(t, nil))
}

// nameUnnamed makes up a tag for a record without one. It is returned when it is the member itself, whose fields
// are then flattened; one behind a pointer or in an array becomes a record of its own.
func (fl *flattener) nameUnnamed(t cc.Type, pos token.Position) fielder {
	direct := true
	for {
		if d := t.Typedef(); d != nil && d.Name() != "" {
			return nil // pthread_mutex_t: a tagless union, but named by its typedef
		}
		switch x := t.(type) {
		case *cc.ArrayType:
			t, direct = x.Elem(), false
			continue
		case *cc.PointerType:
			t, direct = x.Elem(), false
			continue
		}
		break
	}
	r, ok := unnamedRecord(t)
	if !ok {
		return nil
	}
	fl.count++
	tag := fmt.Sprintf("%s %s.<anonymous %d>", keyword(t), fl.owner, fl.count)
	fl.unnamed[recordKey(t)] = tag
	if direct {
		return r
	}
	fl.later = append(fl.later, laterRecord{tag, r, pos})
	return nil
}

func unnamedRecord(t cc.Type) (fielder, bool) {
	r, ok := t.(fielder)
	if !ok {
		return nil, false
	}
	tag := r.Tag()
	return r, tag.SrcStr() == ""
}

// memberPos is the place of a member's name; of an unnamed one that of its first named field.
func (fl *flattener) memberPos(m *cc.Field) token.Position {
	if d := m.Declarator(); d != nil {
		if pos := d.NameTok().Position(); pos.IsValid() {
			return pos
		}
	}
	if r, ok := unnamedRecord(m.Type()); ok && r.NumFields() > 0 {
		return fl.memberPos(r.FieldByIndex(0))
	}
	return fl.pos
}

// pointedFunction is the type of the function that t points to, nil for any other type.
func (fl *flattener) pointedFunction(t cc.Type, ls []layer) *api.FnType {
	ptr, ok := t.(*cc.PointerType)
	if !ok {
		return nil
	}
	ft, ok := ptr.Elem().(*cc.FunctionType)
	if !ok {
		return nil
	}
	return &api.FnType{Ret: fl.typeText(ft.Result(), behind(ls, 2)), Params: fl.params(ft)}
}

// incomplete adds the records that are mentioned but never defined, where they are mentioned first.
func (f *facts) incomplete() {
	for _, m := range f.mentioned {
		if f.tags[m.tag] || !f.ours(m.pos) {
			continue
		}
		f.tags[m.tag] = true
		f.rel.Records = append(f.rel.Records, api.Record{Tag: m.tag, Incomplete: true, Fields: []api.Field{}, Pos: f.pos(m.pos)})
	}
}
