package bind

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// leaf finds a field of a mirror by its C path, which may lead through nested structs.
func (b *binder) leaf(m *model.Mirror, c string) *model.Leaf {
	if l := m.Find(c); l != nil {
		return l
	}
	outer, inner, dotted := strings.Cut(c, ".")
	l := m.Find(outer)
	if !dotted || l == nil {
		return nil
	}
	held := b.mirrors[strings.TrimPrefix(l.CType, "struct ")]
	if held == nil {
		return nil
	}
	sub := b.leaf(held, inner)
	if sub == nil {
		return nil
	}
	path := *sub
	path.Go, path.C, path.Offset = l.Go+"."+sub.Go, c, l.Offset+sub.Offset
	switch {
	case l.Over != "":
		path.Over, path.At = l.Over, l.At+sub.Offset
	case sub.Over != "":
		path.Over = l.Go + "." + sub.Over
	}
	return &path
}

// mirror makes the Go mirror of a C struct once.
func (b *binder) mirror(tag string, at spec.Pos) *model.Mirror {
	if m := b.mirrors[tag]; m != nil {
		return m
	}
	rec := b.facts.Record("struct " + tag)
	m := &model.Mirror{Name: b.mirrorName(tag), C: tag}
	b.mirrors[tag] = m
	if problem := b.noMirror(rec); problem != "" {
		pos := at
		if rec != nil && rec.Pos.File != "" {
			pos = spec.Pos(rec.Pos)
		}
		b.errorf(diag.MirrorImpossible, pos, "struct "+tag, problem, "do not describe this struct under records:")
		return m
	}
	m.Size = rec.Size
	if rec.ARM64 != nil {
		b.errorf(diag.MirrorImpossible, at, "struct "+tag, "its layout differs between amd64 and arm64",
			"do not describe this struct under records:")
		return m
	}
	b.mirrorFields(m, rec, at)
	return m
}

// mirrorFields makes the fields of a mirror, and padding between them.
func (b *binder) mirrorFields(m *model.Mirror, rec *api.Record, at spec.Pos) {
	end := int64(0)
	pad := func(to int64) {
		if to > end {
			m.Leaf = append(m.Leaf, &model.Leaf{Go: "_", GoType: fmt.Sprintf("[%d]byte", to-end), Offset: end, Size: to - end})
			end = to
		}
	}
	shown := b.shownFields(m.C)
	for _, f := range rec.Fields {
		if f.Name == "" || rec.Container(f) {
			continue
		}
		opaque := shown != nil && !shown[f.Name]
		goType, nested, err := b.goType(f)
		over := covering(m, f)
		switch {
		case opaque && (f.BitSize != nil || f.Size == 0 || f.Offset < end || overlaps(rec, f, shown)):
			continue // its bytes are padding, or another field's; a flexible array has none, but Go adds padding behind an empty field
		case opaque && (err != nil || nested != "" && b.mirrors[nested] == nil && b.shownFields(nested) == nil):
			pad(f.Offset)
			m.Leaf = append(m.Leaf, &model.Leaf{Go: "_", GoType: bytesOf(f), Offset: f.Offset, Size: f.Size})
			end = f.Offset + f.Size
			continue
		case f.BitSize != nil:
			err = errors.New("it is a bit-field")
		case err == nil && f.Offset < end && over == nil:
			err = errors.New("members overlap (a union)")
		case slices.ContainsFunc(m.Leaf, func(l *model.Leaf) bool { return l.Go == model.LeafName(f.Name) }):
			err = errors.New("its name in Go, " + model.LeafName(f.Name) + ", is that of another field")
		}
		if err == nil {
			err = b.fits(f, goType)
		}
		if err != nil {
			b.errorf(diag.MirrorImpossible, spec.Pos(f.Pos), rec.Tag+"."+f.Name, err.Error(), "do not describe this struct under records:")
			m.Leaf = append(m.Leaf, &model.Leaf{C: f.Name, GoType: "uint64"}) // found by its name, so that one mistake is reported once
			continue
		}
		if nested != "" {
			b.mirror(nested, at)
		}
		l := &model.Leaf{Go: model.LeafName(f.Name), C: f.Name, CType: f.Type, GoType: goType, Offset: f.Offset, Size: f.Size,
			Big: bigEndian(f.Type)}
		if over != nil {
			l.Over, l.At = over.Go, f.Offset-over.Offset
			m.Over = append(m.Over, l)
			continue
		}
		pad(f.Offset)
		m.Leaf, end = append(m.Leaf, l), f.Offset+f.Size
	}
	pad(rec.Size)
}

// covering is the field of a mirror with all bytes of a member of a union, or nil.
func covering(m *model.Mirror, f api.Field) *model.Leaf {
	return model.First(m.Leaf, func(l *model.Leaf) bool {
		return l.C != "" && l.Offset <= f.Offset && f.Offset+f.Size <= l.Offset+l.Size
	})
}

// shownFields are the fields of a C struct that some Go type of it shows or uses as its mask; nil when it has no Go type.
func (b *binder) shownFields(tag string) map[string]bool {
	var shown map[string]bool
	for r := range b.Records() {
		if r.C != tag || r.Role == spec.RecordEntry { // which is read in place
			continue
		}
		if shown == nil {
			shown = map[string]bool{}
		}
		maps.Copy(shown, r.Shown())
	}
	return shown
}

// overlaps reports whether a field shares bytes with one that is shown.
func overlaps(rec *api.Record, f api.Field, shown map[string]bool) bool {
	return slices.ContainsFunc(rec.Fields, func(g api.Field) bool {
		return shown[g.Name] && !rec.Container(g) && f.Offset < g.Offset+g.Size && g.Offset < f.Offset+f.Size
	})
}
