package facts

import (
	"bufio"
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
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
	all := said{} // by name
	file, line := "", 0
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, 1<<20)
	for ; sc.Scan(); line++ {
		text := sc.Text()
		if m := lineRE.FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			file, line = m[2], n-1
			continue
		}
		if m := undefRE.FindStringSubmatch(text); m != nil {
			delete(all, m[1])
			continue
		}
		m := defineRE.FindStringSubmatch(text)
		if m == nil || m[2] != "" || !p.own(file) {
			continue
		}
		if repl := strings.Join(strings.Fields(m[3]), " "); repl != "" {
			all[m[1]] = map[string]any{"value": squeeze(repl), "stands for": repl, "place": fmt.Sprintf("%s:%d", p.included(file), line)}
		}
	}
	if err := errors.Join(sc.Err(), p.evaluate(all)); err != nil {
		return err
	}
	for name, properties := range all {
		v.said["macro "+name] = properties
		v.aside["macro "+name] = strings.HasPrefix(properties["stands for"].(string), "inline") // words of a declaration
	}
	return nil
}

// evaluate computes the macros that are integer constants. Each becomes an enumerator of its own enum; gcc says which are
// none, and goes on.
func (p *probe) evaluate(all said) error {
	var text strings.Builder
	fmt.Fprintf(&text, "#include <%s>\n", p.Name)
	const first = 2
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
		fmt.Fprintf(&text, "enum { vg_value_%s = %s };\n", name, name)
	}
	if err := p.write("macros.c", text.String()); err != nil {
		return err
	}
	bad := map[int]bool{}
	// Without tracking of expansions an error stands where the macro is used, not where it is defined.
	if _, err := p.compile("macros.c", "-ftrack-macro-expansion=0"); err != nil {
		for _, m := range regexp.MustCompile(`(?m)^macros\.c:(\d+):\d+: error`).FindAllStringSubmatch(err.Error(), -1) {
			n, _ := strconv.Atoi(m[1])
			bad[n-first] = true
		}
		if len(bad) == 0 {
			return err
		}
	}
	text.Reset()
	fmt.Fprintf(&text, "#include <%s>\n", p.Name)
	for i, name := range names {
		if !bad[i] {
			fmt.Fprintf(&text, "enum { vg_value_%s = %s };\n", name, name)
		}
	}
	if err := p.write("macros.c", text.String()); err != nil {
		return err
	}
	object, err := p.compile("macros.c")
	if err != nil {
		return err
	}
	return readValues(object, all)
}

// readValues takes the values of the enumerators vg_value_NAME out of an object file.
func readValues(object string, all said) error {
	f, err := elf.Open(object)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return err
	}
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag != dwarf.TagEnumerator {
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		value, isInt := e.Val(dwarf.AttrConstValue).(int64)
		name, ok := strings.CutPrefix(name, "vg_value_")
		if ok && isInt && all[name] != nil {
			all[name]["value"] = value
		}
	}
}
