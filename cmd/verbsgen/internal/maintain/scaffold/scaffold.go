package scaffold

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Input is what a draft is made from.
type Input struct {
	Release *api.Release
	Spec    *spec.Spec
	Name    string            // of the release, for new pages
	Man     *Man              // the man pages, or nil
	Dropped map[string]string // declarations that a try has shown to have no form, with the reason: they are skipped
}

// Result is a draft.
type Result struct {
	Files   []File
	Objects []string // C tags of new handles, which module.yaml must list
	Bound   []string // functions
	Skipped int
}

// drafter drafts the pages.
type drafter struct {
	Input
	m       *spec.Module
	facts   *spec.Facts
	open    map[string]bool    // undecided declarations
	objects map[string]*object // by tag; "int socket" for ints of a name
	opens   map[string]*object // what functions make that return an int
	types   map[string]string  // "enum ibv_x" -> Go type
	flags   map[string]bool    // Go types of flags
	drafted map[string]bool    // enums
	records map[string]*record
	goNames map[string]bool
	used    map[string]bool   // enumerators that a page uses
	owned   map[string]string // structs that the library makes or ends, with the function that does
	skipped map[string]bool
	pages   map[string]*page
	res     Result
}

// object is a handle, of a page or new.
type object struct {
	goName string
	tag    string // "ibv_dm"
	end    string
	isNew  bool
	parent *object
	// foreign reports that it is of a module that this one uses.
	foreign bool
}

// record is a Go type of a struct.
type record struct {
	goName string
	role   string
}

// Draft drafts pages for everything that no page decides.
func Draft(in Input) Result {
	d := &drafter{Input: in, m: in.Spec.Module, facts: in.Spec.Module.NewFacts(in.Release),
		open: map[string]bool{}, objects: map[string]*object{}, opens: map[string]*object{}, types: map[string]string{}, flags: map[string]bool{},
		drafted: map[string]bool{}, records: map[string]*record{}, goNames: map[string]bool{}, used: map[string]bool{}, pages: map[string]*page{},
		owned: map[string]string{}, skipped: map[string]bool{}}
	decisions := bind.Decide(in.Release, in.Spec)
	for _, name := range decisions.LeftOut(bind.Named) {
		d.open[name] = true
	}
	d.known()
	d.findObjects()
	for _, f := range in.Release.Functions {
		if d.open[f.Name] {
			d.function(f)
		}
	}
	d.arms()
	d.members(decisions.Members)
	d.objectParts()
	d.rest()
	for _, name := range slices.Sorted(maps.Keys(d.pages)) { // what is only skipped needs no page of its own
		if p := d.pages[name]; len(p.parts) == 1 && len(p.parts["skip"]) > 0 && !p.extends && p != d.last() {
			last := d.last()
			last.parts["skip"] = append(last.parts["skip"], p.parts["skip"]...)
			delete(d.pages, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.pages)) {
		d.res.Files = append(d.res.Files, d.pages[name].file())
	}
	return d.res
}

// known notes what the pages have.
func (d *drafter) known() {
	d.pagesOf(d.Spec, "")
	for _, u := range d.m.Uses {
		d.pagesOf(u.Spec, u.Name+".")
	}
}

// pagesOf notes what pages have, of the module whose name and a dot stand before its types.
func (d *drafter) pagesOf(sp *spec.Spec, module string) {
	for _, p := range sp.Pages {
		for _, o := range p.Objects {
			for _, tag := range append([]string{o.C}, o.Also...) {
				d.objects[tag] = cmp.Or(d.objects[tag], &object{goName: module + o.Go, tag: o.C, end: o.Destroy, foreign: module != ""})
			}
			d.goNames[module+o.Go] = true
		}
		for _, t := range p.Flags {
			if t.Enum != "" {
				d.types["enum "+t.Enum] = cmp.Or(d.types["enum "+t.Enum], module+t.Go)
			}
			d.flags[module+t.Go], d.goNames[module+t.Go] = true, true
		}
		for _, t := range p.Enums {
			if t.Enum != "" { // it has a C enum
				d.types["enum "+t.Enum] = cmp.Or(d.types["enum "+t.Enum], module+t.Go)
			}
			d.goNames[module+t.Go] = true
		}
		for _, r := range p.Records {
			d.records[r.C] = cmp.Or(d.records[r.C], &record{goName: module + r.Go, role: r.Role})
			d.goNames[module+r.Go] = true
		}
	}
}

// findObjects finds structs that a function makes, returned or behind a pointer, and that another one ends; and those that are the
// library's, be they handles or not.
func (d *drafter) findObjects() {
	made := map[string]bool{}
	for _, f := range d.Release.Functions {
		words := d.split(f.Name)
		if tag := d.madeBy(f); tag != "" {
			d.owned[tag] = f.Name
			made[tag] = made[tag] || has(words, makes)
		}
		if n := len(f.Params); n > 0 && d.ends(f) {
			for _, tag := range tags(f) {
				d.owned[tag], d.owned[tag+" end"] = f.Name, f.Name
			}
		}
	}
	for n := 1; n <= 2; n++ { // what an object is made from may be given to what ends it, too
		for _, e := range d.Release.Functions {
			if len(e.Params) != n || len(tags(e)) != n || !d.open[e.Name] || !d.ends(e) || d.Dropped[e.Name] != "" {
				continue
			}
			tag, above := tags(e)[n-1], tags(e)[0]
			if made[tag] && e.Params[n-1].Type == "struct "+tag+" *" && d.objects[tag] == nil && d.Dropped["struct "+tag] == "" &&
				(n == 1 || d.objects[above] != nil && e.Params[0].Type == "struct "+above+" *") {
				d.objects[tag] = &object{goName: d.free(model.Exported(d.bare(tag))), tag: tag, end: e.Name, isNew: true}
			}
		}
	}
	d.findInts()
}

// ended reports whether a function ends an object: that of a new type, or one of another module that a function here makes.
func (d *drafter) ended(f api.Function) bool {
	ends := func(o *object) bool {
		return o != nil && (o.end == f.Name || o.foreign && slices.ContainsFunc(d.Release.Functions, func(m api.Function) bool {
			return d.madeBy(m) == o.tag && has(d.split(m.Name), makes) && d.endOf(m, o) == f.Name
		}))
	}
	return slices.ContainsFunc(f.Params, func(p api.Param) bool { return ends(d.objects["int "+p.Name]) }) ||
		slices.ContainsFunc(tags(f), func(tag string) bool { return ends(d.objects[tag]) })
}

// endOf is the function that ends an object of another module which a function makes: it takes such an object alone, and both are called
// alike but for the words that say so.
func (d *drafter) endOf(f api.Function, o *object) string {
	for _, e := range d.Release.Functions {
		if len(e.Params) == 1 && e.Params[0].Type == "struct "+o.tag+" *" && d.ends(e) && d.about(e) == d.about(f) && d.Dropped[e.Name] == "" {
			return e.Name
		}
	}
	return ""
}

// findInts finds ints that are handles, by their name: a function that is called so returns one, and another ends it.
func (d *drafter) findInts() {
	for _, e := range d.Release.Functions {
		if len(e.Params) != 1 || e.Params[0].Type != "int" || !d.open[e.Name] || d.Dropped[e.Name] != "" || !d.ends(e) ||
			d.objects["int "+e.Params[0].Name] != nil {
			continue
		}
		name := e.Params[0].Name
		o := &object{goName: model.Exported(snake(name)), tag: name, end: e.Name, isNew: true}
		for _, f := range d.Release.Functions {
			alike := d.calledLike(f, name) || has(d.split(f.Name), makes) && d.about(f) == d.about(e)
			if f.Ret == "int" && d.Dropped[f.Name] == "" && alike {
				d.opens[f.Name] = o
				d.objects["int "+name] = o
			}
		}
		if d.objects["int "+name] == o {
			o.goName = d.free(o.goName)
			d.pageOf(e).add("objects", e.Name, "%s:\n  c: int # guess\n  parents: []\n  destroy: %s # guess\n  doc: An int %s.\n",
				o.goName, e.Name, name)
		}
	}
}

// about is the name of a function without the words that say that it makes or ends something.
func (d *drafter) about(f api.Function) string {
	return strings.Join(slices.DeleteFunc(d.split(f.Name), func(w string) bool { return has([]string{w}, slices.Concat(makes, ends)) }), "_")
}

// madeBy is the tag of the struct that a function may make.
func (d *drafter) madeBy(f api.Function) string {
	types := []string{f.Ret}
	for _, p := range f.Params {
		if t, ok := strings.CutSuffix(p.Type, "**"); ok {
			types = append(types, t+"*")
		}
	}
	for _, t := range types {
		if tag, ok := strings.CutPrefix(t, "struct "); ok && strings.HasSuffix(tag, " *") {
			return strings.TrimSuffix(tag, " *")
		}
	}
	return ""
}

// free is a Go name that nothing has yet.
func (d *drafter) free(name string) string {
	for d.goNames[name] {
		name += "X"
	}
	d.goNames[name] = true
	return name
}

// page is the draft of a page, new or more of one that there is.
func (d *drafter) page(name string) *page {
	if d.pages[name] == nil {
		p := &page{name: name, release: d.Name, parts: map[string][]part{}}
		p.extends = d.Spec.PageByName(name) != nil
		d.pages[name] = p
	}
	return d.pages[name]
}

// pageOf is the page of a function: that of its man page, or of the object that it is about.
func (d *drafter) pageOf(f api.Function) *page {
	if name := d.Man.PageOf(f.Name); name != "" {
		return d.page(name)
	}
	for _, t := range append([]string{d.madeBy(f)}, tags(f)...) {
		if o := d.objects[t]; o != nil && o.isNew {
			return d.page(d.maker(o))
		}
	}
	if len(d.Spec.Pages) == 0 { // a new library: what is of no object is on one page
		return d.page(d.m.Name)
	}
	return d.page(f.Name)
}

// maker is the function that makes an object: the first of the header that takes none.
func (d *drafter) maker(o *object) string {
	for _, f := range d.Release.Functions {
		if d.madeBy(f) == o.tag && !slices.Contains(tags(f), o.tag) {
			return f.Name
		}
	}
	return o.end
}

// tags lists the structs that the parameters of a function point to.
func tags(f api.Function) []string {
	var out []string
	for _, p := range f.Params {
		if tag, ok := strings.CutPrefix(p.Type, "struct "); ok {
			out = append(out, strings.TrimRight(tag, " *"))
		}
	}
	return out
}

// skip leaves a declaration out. What is said of a function holds for a struct or enum of the same name.
func (d *drafter) skip(p *page, c, why string) {
	if name := c[strings.LastIndexByte(c, ' ')+1:]; !d.skipped[name] {
		p.add("skip", c, "%s: %s # guess", c, strconv.Quote(why))
		d.skipped[c] = true
	}
	delete(d.open, c)
	d.res.Skipped++
}
