package facts

import (
	"debug/dwarf"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

var (
	lineRE   = regexp.MustCompile(`^# (\d+) "([^"]*)"`)
	defineRE = regexp.MustCompile(`^#define (\w+)(\()?(.*)$`)
	undefRE  = regexp.MustCompile(`^#undef (\w+)`)
)

// macros reads the object-like macros that are defined at the end of the header, and lets gcc compute their values.
func (p *probe) macros(v *View) error {
	out, err := p.run("-std=gnu11", "-dD", "-E", "probe.c")
	if err != nil {
		return err
	}
	all := map[string]*api.Macro{}
	file, line := "", 0
	for text := range strings.Lines(string(out)) {
		text = strings.TrimSuffix(text, "\n")
		if m := lineRE.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			file = m[2]
			continue
		}
		if m := undefRE.FindStringSubmatch(text); m != nil {
			delete(all, m[1])
		}
		if m := defineRE.FindStringSubmatch(text); m != nil && m[2] == "" && p.own(file) {
			text := strings.Join(strings.Fields(m[3]), " ")
			if text != "" && !strings.HasPrefix(text, "inline") { // words of a declaration
				v.texts[m[1]] = text
				all[m[1]] = &api.Macro{Name: m[1], Value: squeeze(text), Pos: api.Pos{File: p.included(file), Line: line}}
			}
		}
		line++
	}
	err = p.evaluate(all)
	for _, m := range all {
		v.rel.Macros = append(v.rel.Macros, *m)
	}
	return err
}

// evaluate computes the macros that are integer constants. Each becomes an enumerator of its own enum; gcc says which are
// none, and compiles the others.
func (p *probe) evaluate(all map[string]*api.Macro) error {
	for names := slices.Sorted(maps.Keys(all)); ; {
		text := fmt.Sprintf("#include <%s>\n", p.Name)
		const first = 2
		for _, name := range names {
			text += fmt.Sprintf("enum { vg_value_%s = %s };\n", name, name)
		}
		if err := p.write("macros.c", text); err != nil {
			return err
		}
		// Without tracking of expansions an error stands where the macro is used, not where it is defined.
		object, err := p.compile("macros.c", "-ftrack-macro-expansion=0")
		if err == nil {
			return entries(object, func(_ *dwarf.Data, e *dwarf.Entry) error {
				name, _ := e.Val(dwarf.AttrName).(string)
				value, isInt := e.Val(dwarf.AttrConstValue).(int64)
				name, ok := strings.CutPrefix(name, "vg_value_")
				if ok && isInt && e.Tag == dwarf.TagEnumerator {
					all[name].Value = value
				}
				return nil
			})
		}
		bad := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^macros\.c:(\d+):\d+: error`).FindAllStringSubmatch(err.Error(), -1) {
			if n, _ := strconv.Atoi(m[1]); n >= first {
				bad[names[n-first]] = true
			}
		}
		if len(bad) == 0 {
			return err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return bad[name] })
	}
}
