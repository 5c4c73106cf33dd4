package cheader

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// extent is the size and alignment of a type.
type extent struct{ size, align int64 }

// onARM64 are the types of the stub headers that glibc makes larger on arm64.
var onARM64 = map[string]extent{"pthread_mutex_t": {48, 8}}

// addARM64 adds to each record that is laid out differently on arm64 that layout. The layout is computed here when
// the same computation gives the layout on amd64 that the C parser found; else the parser reads the header again.
func (f *facts) addARM64() diag.List {
	if !f.in.stubs["pthread.h"] {
		return nil // all other types are the same
	}
	amd64, arm64 := &arranger{facts: f}, &arranger{facts: f, types: onARM64}
	for tag, t := range f.layouts {
		r := &f.rel.Records[f.records[tag]]
		here, known := amd64.arrange(t)
		if !known || !sameLayout(here, layout(r)) {
			return f.parseARM64()
		}
		if there, _ := arm64.arrange(t); !sameLayout(there, here) {
			r.ARM64 = there
		}
	}
	return nil
}

// arranger lays records out as C does, with the attributes of their definitions and with no others.
type arranger struct {
	facts  *facts
	loose  bool              // no record is taken to be packed
	packed bool              // a packed record was met
	types  map[string]extent // typedefs of other extents
	known  map[string]extent // records that were arranged before, by tag
	odd    bool              // something that is not known here was met
}

func (a *arranger) arrange(t fielder) (l *api.Layout, known bool) {
	l = &api.Layout{}
	e := a.record(t, 0, l)
	l.Size, l.Align = e.size, e.align
	return l, !a.odd
}

// record places the members of t, which starts at base. The fields of l are in the order of the flattener.
func (a *arranger) record(t fielder, base int64, l *api.Layout) extent {
	all := extent{0, 1}
	p := a.facts.packings[recordID(t)]
	a.packed = a.packed || p.packed
	for i := range t.NumFields() {
		m := t.FieldByIndex(i)
		a.odd = a.odd || m.IsBitfield()
		e := a.extent(m.Type())
		if p.packed && !a.loose {
			e.align = 1
		}
		var at int64
		if t.Kind() == cc.Struct {
			at = roundUp(all.size, e.align)
		}
		if l != nil {
			l.Offsets, l.Sizes = append(l.Offsets, base+at), append(l.Sizes, e.size)
			if inner := member(m.Type()); inner != nil {
				a.record(inner, base+at, l)
			}
		}
		all.size = max(all.size, at+e.size)
		all.align = max(all.align, e.align)
	}
	all.align = max(all.align, p.align)
	all.size = roundUp(all.size, all.align)
	return all
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

func (a *arranger) extent(t cc.Type) extent {
	if e, ok := a.types[a.facts.systemTypedef(t)]; ok {
		return e
	}
	switch x := t.(type) {
	case *cc.ArrayType:
		e := a.extent(x.Elem())
		return extent{e.size * max(0, x.Len()), e.align}
	case fielder:
		return a.nested(x)
	}
	return extent{t.Size(), max(1, int64(t.Align()))}
}

// nested arranges a record inside another, once for each tag.
func (a *arranger) nested(t fielder) extent {
	tag := t.Tag()
	key := keyword(t) + " " + tag.SrcStr()
	if tag.SrcStr() == "" {
		return a.record(t, 0, nil)
	}
	if e, ok := a.known[key]; ok {
		return e
	}
	if a.known == nil {
		a.known = map[string]extent{}
	}
	a.known[key] = a.record(t, 0, nil)
	return a.known[key]
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// parseARM64 lets the C parser lay everything out.
func (f *facts) parseARM64() diag.List {
	ast, _, errs := f.p.translate("arm64")
	if len(errs) > 0 {
		return errs
	}
	other := newFacts(f.p, ast, f.in)
	other.mayPack = f.mayPack
	for tu := ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		if ed := tu.ExternalDeclaration; ed.Case == cc.ExternalDeclarationDecl {
			other.declaration(ed.Declaration)
		}
	}
	for tag, j := range other.records {
		i, ok := f.records[tag]
		if !ok {
			continue
		}
		if l := layout(&other.rel.Records[j]); !sameLayout(l, layout(&f.rel.Records[i])) {
			f.rel.Records[i].ARM64 = l
		}
	}
	return nil
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
