package spec

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Facts is what one or more releases declare, found by name. Where releases differ, the newest one counts.
type Facts struct {
	*Words
	consts  map[string]*big.Int
	funcs   map[string]*api.Function
	records map[string]*api.Record
	enums   map[string]*api.Enum
	macros  map[string]*api.Macro
	member  map[string]*api.Enum // enum of an enumerator
	aliases map[string]string
	vars    map[string]bool
	names   []string // of constants, in the order of the headers
	paths   sync.Map // from pathOf to foundPath
}

// NewFacts makes the union of releases of verbs.h.
func NewFacts(rels ...*api.Release) *Facts { return newFacts(verbsWords(), rels) }

// NewFacts makes the union of releases of the header of the module. Of the modules that it uses, it has the constants, enums and records of
// the same releases too: rules speak of them, and the header declares only those that its own declarations name.
func (m *Module) NewFacts(rels ...*api.Release) *Facts {
	f := newFacts(m.Words, rels)
	for _, u := range m.Uses {
		if u.Spec != nil {
			f.lend(u.Spec.Module, rels)
		}
	}
	return f
}

// lend adds what a module that is used declares and these facts lack.
func (f *Facts) lend(used *Module, rels []*api.Release) {
	stored, err := api.KnownOf(used.Facts)
	if err != nil || stored.Newest() == "" { // of a header that the user gives
		return
	}
	all := map[string]*api.Release{}
	for _, rel := range rels {
		name := rel.Release
		if !slices.Contains(stored.Releases(), name) {
			name = stored.Newest()
		}
		if all[name], err = stored.Load(name); err != nil {
			delete(all, name)
		}
	}
	of := used.NewFacts(slices.Collect(maps.Values(all))...)
	for tag, r := range of.records {
		if own := f.records[tag]; own == nil || own.Incomplete {
			f.records[tag] = r
		}
	}
	for tag, e := range of.enums {
		if f.enums[tag] == nil {
			f.enums[tag] = e
		}
	}
	for _, name := range of.names {
		if f.consts[name] == nil {
			f.addConst(name, of.consts[name])
			f.member[name] = of.member[name]
		}
	}
}

func newFacts(words *Words, rels []*api.Release) *Facts {
	f := &Facts{
		Words:  words,
		consts: map[string]*big.Int{}, funcs: map[string]*api.Function{}, records: map[string]*api.Record{},
		enums: map[string]*api.Enum{}, macros: map[string]*api.Macro{}, member: map[string]*api.Enum{},
		aliases: map[string]string{}, vars: map[string]bool{},
	}
	rels = slices.Clone(rels)
	slices.SortStableFunc(rels, func(a, b *api.Release) int { return compareReleases(a.Release, b.Release) })
	for _, rel := range rels {
		f.addRelease(rel)
	}
	for name, of := range f.aliases {
		if e := f.member[of]; e != nil {
			f.member[name] = e
		}
	}
	for name, i := range builtins {
		f.consts[name] = i
	}
	return f
}

func (f *Facts) addRelease(rel *api.Release) {
	for i := range rel.Functions {
		f.funcs[rel.Functions[i].Name] = &rel.Functions[i]
	}
	for i := range rel.Records {
		r := &rel.Records[i]
		f.records[r.Tag] = with(r, f.records[r.Tag], r.Tag, func(r *api.Record) *[]api.Field { return &r.Fields },
			func(x api.Field) string { return x.Name })
	}
	for i := range rel.Enums {
		e := &rel.Enums[i]
		e = with(e, f.enums[e.Tag], e.Tag, func(e *api.Enum) *[]api.Enumerator { return &e.Enumerators },
			func(x api.Enumerator) string { return x.Name })
		f.enums[e.Tag] = e
		for _, m := range e.Enumerators {
			f.addConst(m.Name, big.NewInt(m.Value))
			f.member[m.Name] = e
		}
	}
	for i := range rel.Macros {
		m := &rel.Macros[i]
		f.macros[m.Name] = m
		if v := macroValue(m.Value); v != nil {
			f.addConst(m.Name, v)
		}
	}
	for _, v := range rel.Variables {
		f.vars[v.Name] = true
	}
	for _, a := range rel.Aliases {
		f.aliases[a.Name] = a.Of
		if v := f.consts[a.Of]; v != nil {
			f.addConst(a.Name, v)
			f.member[a.Name] = f.member[a.Of]
		}
	}
}

// with is a record or an enum with the parts that only the same one of another release has. A header given by path may be older than the
// known releases.
func with[T, P any](it, other *T, tag string, parts func(*T) *[]P, name func(P) string) *T {
	if other == nil || strings.Contains(tag, "<") { // tags that are made up for what has none are not the same everywhere
		return it
	}
	has := map[string]bool{"": true}
	for _, p := range *parts(it) {
		has[name(p)] = true
	}
	missing := slices.DeleteFunc(slices.Clone(*parts(other)), func(p P) bool { return has[name(p)] })
	if len(missing) == 0 {
		return it
	}
	all := *it
	*parts(&all) = slices.Concat(*parts(it), missing)
	return &all
}

func (f *Facts) addConst(name string, v *big.Int) {
	if f.consts[name] == nil {
		f.names = append(f.names, name)
	}
	f.consts[name] = v
}

// compareReleases orders releases from old to new; a header given by path has no number and comes last.
func compareReleases(a, b string) int {
	if a == "" || b == "" {
		return strings.Compare(b, a)
	}
	return api.Compare(a, b)
}

var pointerConst = regexp.MustCompile(`^\(*\s*\(\s*void\s*\*\s*\)\s*\(?(-?[0-9]+)\)*$`)

// macroValue is the integer that a macro stands for, or nil.
func macroValue(v any) *big.Int {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v)
	case int:
		return big.NewInt(int64(v))
	case uint64:
		return new(big.Int).SetUint64(v)
	case string:
		if m := pointerConst.FindStringSubmatch(v); m != nil {
			i, _ := new(big.Int).SetString(m[1], 10)
			return i.And(i, maxUint(64))
		}
	}
	return nil
}

func maxUint(bits uint) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
}

func maxInt(bits uint) *big.Int { return maxUint(bits - 1) }

func minInt(bits uint) *big.Int { return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), bits-1)) }

// builtins are constants of C that no RDMA header declares.
var builtins = map[string]*big.Int{
	"NULL": new(big.Int), "SIZE_MAX": maxUint(64), "UINTPTR_MAX": maxUint(64),
	"UINT8_MAX": maxUint(8), "UINT16_MAX": maxUint(16), "UINT32_MAX": maxUint(32), "UINT64_MAX": maxUint(64), "UINT_MAX": maxUint(32),
	"INT8_MAX": maxInt(8), "INT16_MAX": maxInt(16), "INT32_MAX": maxInt(32), "INT64_MAX": maxInt(64), "INT_MAX": maxInt(32),
	"O_CREAT": big.NewInt(0o100), "O_EXCL": big.NewInt(0o200), // of Linux, on all that it runs on but alpha, mips, parisc and sparc
	// of Linux: bits of ibv_device_attr_ex.device_cap_flags_ex that verbs.h does not name
	"IB_UVERBS_DEVICE_FLUSH_GLOBAL": big.NewInt(1 << 38), "IB_UVERBS_DEVICE_FLUSH_PERSISTENT": big.NewInt(1 << 39),
	"SSIZE_MAX": maxInt(64), "INT32_MIN": minInt(32), "INT64_MIN": minInt(64), "INT_MIN": minInt(32),
}

// Const returns the value of an enumerator, of a macro with an integer value, of an alias of these, or of a limit of
// C such as SIZE_MAX; nil for another name. Pointers such as ((void *)-1) count as unsigned integers. An enum, "enum ibv_wq_flags", is
// all of its flags.
func (f *Facts) Const(name string) *big.Int {
	if !IsEnum(name) {
		return f.consts[name]
	}
	e := f.EnumOf(name)
	if e == nil {
		return nil
	}
	all := new(big.Int)
	for _, m := range FlagsOf(e) {
		all.Or(all, f.consts[m.Name])
	}
	return all
}

// FlagsOf lists the enumerators of an enum without those that mark its end.
func FlagsOf(e *api.Enum) []api.Enumerator {
	return slices.DeleteFunc(slices.Clone(e.Enumerators), func(m api.Enumerator) bool { return strings.HasSuffix(m.Name, "_RESERVED") })
}

// IsEnum reports whether a name in a list of flags is an enum, which has the flags that the release has: "enum ibv_wq_flags".
func IsEnum(name string) bool { return strings.HasPrefix(name, "enum ") }

// Func returns a function, or nil.
func (f *Facts) Func(name string) *api.Function { return f.funcs[name] }

// Callable returns the parameters of a function as users call it: a header macro may lead to another, with more behind them.
func (f *Facts) Callable(fn *api.Function) []api.Param {
	if in := f.funcs[fn.Redirect]; fn.Redirect != "" && in != nil && len(in.Params) >= len(fn.Params) {
		return in.Params[:len(fn.Params)]
	}
	return fn.Params
}

// Record returns a record by its tag, or nil.
func (f *Facts) Record(tag string) *api.Record {
	if r := f.records[tag]; r != nil || tag != libcTimespec.Tag {
		return r
	}
	return libcTimespec
}

// EnumOf returns the enum that has the member, or that is named so, or nil.
func (f *Facts) EnumOf(member string) *api.Enum {
	if tag, ok := strings.CutPrefix(member, "enum "); ok {
		return f.Enum(tag)
	}
	return f.member[member]
}

// Enum returns an enum by its tag without "enum ", following aliases, or nil.
func (f *Facts) Enum(tag string) *api.Enum {
	if e := f.enums["enum "+tag]; e != nil {
		return e
	}
	return f.enums["enum "+f.aliases[tag]]
}

// Has reports whether a release declares the name in any way: as function, record or enum tag (with or without the
// word before it), constant, macro or variable.
func (f *Facts) Has(name string) bool {
	_, alias := f.aliases[name]
	return alias || f.vars[name] || f.consts[name] != nil && builtins[name] == nil || f.macros[name] != nil || f.funcs[name] != nil ||
		f.records[name] != nil || f.enums[name] != nil ||
		f.records["struct "+name] != nil || f.records["union "+name] != nil || f.enums["enum "+name] != nil
}

// ConstNames lists the names of constants, in the order of the headers; then the limits of C.
func (f *Facts) ConstNames() []string { return slices.Concat(f.names, sortedKeys(builtins)) }

// FuncNames lists the names of functions, sorted.
func (f *Facts) FuncNames() []string { return sortedKeys(f.funcs) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
