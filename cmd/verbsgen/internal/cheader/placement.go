package cheader

import (
	"cmp"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/spec/api"
)

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

func layout(r *api.Record) *api.Layout {
	l := &api.Layout{Size: r.Size, Align: r.Align}
	for _, m := range r.Fields {
		l.Offsets = append(l.Offsets, m.Offset)
		l.Sizes = append(l.Sizes, m.Size)
	}
	return l
}
