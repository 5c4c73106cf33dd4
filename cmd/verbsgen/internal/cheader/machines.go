package cheader

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// addARM64 adds to each record that is laid out differently on arm64 that layout. The header is read again where it asks for the
// machine.
func (f *facts) addARM64() (list diag.List) {
	p, ast, in := *f.p, f.ast, f.in
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
		var errs diag.List
		if ast, in, errs = p.translate(arm64); len(errs) > 0 {
			return errs
		}
	}
	there := newFacts(&p, ast, in, arm64)
	there.read()
	list = f.sameConstants(there)
	for i := range f.rel.Records {
		r := &f.rel.Records[i]
		refuse := func(problem, fix string) {
			list.Add(diag.New(diag.HeaderUnsupported, f.in.place(r.Pos.File), r.Pos.Line, r.Pos.Col, r.Tag, problem, fix))
		}
		if r.Incomplete {
			continue
		}
		at, ok := there.records[r.Tag]
		if !ok || !slices.EqualFunc(r.Fields, there.rel.Records[at].Fields, sameField) {
			refuse("it has other members on arm64 than on amd64", "declare the same members for both")
			continue
		}
		other := there.rel.Records[at]
		l := layout(&other)
		if sameLayout(l, layout(r)) || there.lay.records[recordID(there.layouts[r.Tag])].bad != nil { // told on amd64
			continue
		}
		r.ARM64 = l
		for j, m := range r.Fields {
			if m.BitOffset != nil && *m.BitOffset != *other.Fields[j].BitOffset {
				refuse("its bit fields begin at other bits on arm64 than on amd64", memberFix)
				break
			}
		}
	}
	return list
}

// sameConstants leaves out macros whose values are others on arm64, and refuses such enumerators.
func (f *facts) sameConstants(there *facts) (list diag.List) {
	differ := map[string]bool{}
	for name, e := range f.lay.typedefs {
		differ[name] = e.size != there.lay.typedefs[name].size
	}
	for id, p := range f.lay.records {
		other, ok := there.lay.records[id]
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
		return fmt.Errorf("the C that was written from the facts cannot be read: %s", strings.ReplaceAll(err.Error(), dir+"/", ""))
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
		list.Add(diag.At(diag.HeaderUnsupported, r.Pos, r.Tag,
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
