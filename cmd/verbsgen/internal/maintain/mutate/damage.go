package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const endif = "\n#endif\n"

var (
	ofCode  = []string{isRecord, isEnum, isFunction, isInline}
	orMacro = append(ofCode[:len(ofCode):len(ofCode)], isMacro)
)

var cuts = []kind{
	{"cut at a line", func(r *rand.Rand, s *source) (string, string) {
		n := 1 + r.IntN(len(s.lines)-1)
		return strings.Join(s.lines[:n], "\n") + "\n", "before " + at(n)
	}},
	{"cut at a line, #endif added", func(r *rand.Rand, s *source) (string, string) {
		n := 1 + r.IntN(len(s.lines)-1)
		return strings.Join(s.lines[:n], "\n") + endif, "before " + at(n)
	}},
	{"cut at a byte", func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		n := 1 + r.IntN(len(text)-1)
		return text[:n], fmt.Sprint("after ", n, " bytes")
	}},
	{"cut at a byte, #endif added", func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		n := 1 + r.IntN(len(text)-1)
		return text[:n] + endif, fmt.Sprint("after ", n, " bytes")
	}},
	changed("cut after a declaration, #endif added", ofCode, func(_ *rand.Rand, s *source, d span) (string, string) {
		return strings.Join(s.lines[:d.last+1], "\n") + endif, "after " + d.name
	}),
	changed("the first half is missing", []string{isRecord, isEnum}, func(_ *rand.Rand, s *source, d span) (string, string) {
		return "#include <stdint.h>\n#include <pthread.h>\n#include <infiniband/verbs_api.h>\n" +
			strings.ReplaceAll(strings.Join(s.lines[d.first:], "\n"), "\n#endif", ""), "before " + d.name
	}),
	changed("one function alone", []string{isFunction}, func(_ *rand.Rand, s *source, d span) (string, string) {
		return "#include <stdint.h>\n#include <stddef.h>\nstruct ibv_device **ibv_get_device_list(int *num_devices);\n" + s.text(d) + "\n", d.name
	}),
}

// remove is a kind that takes a declaration out.
func remove(name string, kinds ...string) kind {
	return changed(name, kinds, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.with(d.first, d.last), d.name + " at " + at(d.first)
	})
}

// removeLine is a kind that takes one of some lines out.
func removeLine(name string, lines func(*source) []int) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		i, ok := pick(r, lines(s))
		if !ok {
			return "", ""
		}
		return s.with(i, i), at(i) + ": " + strings.TrimSpace(s.lines[i])
	}}
}

func allLines(s *source) []int {
	var list []int
	for i, line := range s.lines {
		if strings.TrimSpace(line) != "" {
			list = append(list, i)
		}
	}
	return list
}

var removals = []kind{
	removeLine("a line removed", allLines),
	removeLine("a field removed", func(s *source) []int { return s.fields }),
	removeLine("an enumerator removed", func(s *source) []int { return s.enumerators }),
	remove("a record removed", isRecord),
	remove("an enum removed", isEnum),
	remove("a function removed", isFunction),
	remove("an inline function removed", isInline),
	remove("a macro removed", isMacro),
	remove("an include removed", isInclude),
	changed("a declaration under #if 0", orMacro, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.with(d.first, d.last, "#if 0", s.text(d), "#endif"), d.name
	}),
	{"a line in a body removed", func(r *rand.Rand, s *source) (string, string) {
		d, ok := pick(r, s.of(isInline))
		if !ok || d.last-d.first < 3 {
			return "", ""
		}
		i := d.first + 2 + r.IntN(d.last-d.first-2)
		return s.with(i, i), d.name + ", " + at(i) + ": " + strings.TrimSpace(s.lines[i])
	}},
	changed("an empty record", []string{isRecord}, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.with(d.first, d.last, s.lines[d.first], "};"), d.name
	}),
	changed("an empty enum", []string{isEnum}, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.with(d.first, d.last, s.lines[d.first], "};"), d.name
	}),
	changed("a record declared only", []string{isRecord}, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.with(d.first, d.last, strings.TrimSuffix(strings.TrimSpace(s.lines[d.first]), "{")+";"), d.name
	}),
}

// neighbours are pairs of lines of a list that follow each other in the header, and lie in one declaration.
func (s *source) neighbours(list []int) [][2]int {
	var pairs [][2]int
	for k := 1; k < len(list); k++ {
		if list[k] == list[k-1]+1 {
			pairs = append(pairs, [2]int{list[k-1], list[k]})
		}
	}
	return pairs
}

func swapLines(name string, lines func(*source) []int) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		p, ok := pick(r, s.neighbours(lines(s)))
		if !ok {
			return "", ""
		}
		return s.with(p[0], p[1], s.lines[p[1]], s.lines[p[0]]), at(p[0]) + ": " + strings.TrimSpace(s.lines[p[0]])
	}}
}

var moves = []kind{
	swapLines("two fields swapped", func(s *source) []int { return s.fields }),
	swapLines("two enumerators swapped", func(s *source) []int { return s.enumerators }),
	swapLines("two lines swapped", allLines),
	{"two declarations swapped", func(r *rand.Rand, s *source) (string, string) {
		list := s.of(ofCode...)
		if len(list) < 2 {
			return "", ""
		}
		i := r.IntN(len(list) - 1)
		a, b := list[i], list[i+1]
		between := s.lines[a.last+1 : b.first]
		lines := append([]string{s.text(b)}, between...)
		return s.with(a.first, b.last, append(lines, s.text(a))...), a.name + " and " + b.name
	}},
	{"a line twice", func(r *rand.Rand, s *source) (string, string) {
		i, _ := pick(r, allLines(s))
		return s.before(i, s.lines[i]), at(i) + ": " + strings.TrimSpace(s.lines[i])
	}},
	changed("a declaration twice", orMacro, func(_ *rand.Rand, s *source, d span) (string, string) {
		return s.before(d.first, s.text(d)), d.name
	}),
	{"the header twice", func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		return text + text, "one after the other"
	}},
}
