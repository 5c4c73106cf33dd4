package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// listens reports whether events arrive on an object.
func (b *builder) listens(o *model.Object) bool { return b.waiter(o) != "" }

// indexed reports whether events name an object by its C address.
func (b *builder) indexed(o *model.Object) bool {
	return b.namedByRecord(o) || slices.ContainsFunc(b.written, func(f *special.File) bool { return slices.Contains(f.Finds, o.Go) })
}

// waiter is the type of what waits for the events of an object; empty where none arrive on it.
func (b *builder) waiter(o *model.Object) string {
	if v, _ := b.giver(o); v != nil {
		return "*events.Records[" + given(v).Record.Go + "]"
	}
	for _, f := range b.written {
		if w := f.Waits[o.Go]; w != "" {
			return w
		}
	}
	return ""
}

// elementsOf plans what each asynchronous event concerns, for the file that waits for them.
func (b *builder) elementsOf() []Decl {
	t := b.eventType()
	if t == nil || !b.writtenUses("asyncElements") {
		return nil
	}
	var names []string
	for _, o := range b.concerned() {
		names = append(names, o.Go)
	}
	return []Decl{Elements{Objects: names, Of: b.elements(t)}}
}

// concerned are the objects of the package that asynchronous events concern, in the order of the page.
func (b *builder) concerned() (out []*model.Object) {
	if t := b.eventType(); t != nil {
		for _, x := range t.Events {
			if slices.Contains(b.pkg.Objects, x.Object) {
				out = append(out, x.Object)
			}
		}
	}
	return out
}

// eventType is the type of asynchronous events.
func (b *builder) eventType() *model.Enum {
	i := slices.IndexFunc(b.pkg.Enums, func(t *model.Enum) bool { return len(t.Events) > 0 })
	if i < 0 {
		return nil
	}
	return b.pkg.Enums[i]
}

// elements are what the events concern, each value once.
func (b *builder) elements(t *model.Enum) (out []ElementOf) {
	of := map[string]string{} // event -> what it concerns
	for _, x := range t.Events {
		is := x.Of
		if x.Object != nil {
			is = x.Object.Go
		}
		for _, c := range x.Members {
			of[c] = is
		}
	}
	for _, m := range t.Members {
		if !m.Alias {
			out = append(out, ElementOf{m.Go, of[m.C]})
		}
	}
	return out
}
