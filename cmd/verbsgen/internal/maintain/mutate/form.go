package mutate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// insert is a kind that puts one of some texts somewhere.
func insert(name string, texts ...string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		i, x := r.IntN(len(text)), texts[r.IntN(len(texts))]
		return text[:i] + x + text[i:], fmt.Sprintf("%q in %s", x, at(strings.Count(text[:i], "\n")))
	}}
}

// insertLine is a kind that puts a line between others.
func insertLine(name string, texts ...string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		i, x := r.IntN(len(s.lines)), texts[r.IntN(len(texts))]
		return s.before(i, x), fmt.Sprintf("%q before %s", x, at(i))
	}}
}

// drop is a kind that takes one of some bytes out.
func drop(name, bytes string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		var places []int
		for i := range len(text) {
			if strings.IndexByte(bytes, text[i]) >= 0 {
				places = append(places, i)
			}
		}
		i, ok := pick(r, places)
		if !ok {
			return "", ""
		}
		return text[:i] + text[i+1:], fmt.Sprintf("%q in %s", text[i], at(strings.Count(text[:i], "\n")))
	}}
}

var lexical = []kind{
	drop("a bracket removed", "(){}[]"),
	drop("a mark removed", ";,*#="),
	drop("an end of comment removed", "/"),
	insert("a bracket too many", "(", ")", "{", "}", "[", "]"),
	insert("a comment opened", "/*", "*/", "//", "\""),
	insert("a byte that is no text", "\x00", "\xff", "\x1b", "\x01", "\r", "\u202e", "\f", "\\", "@", "`", "$"),
	insertLine("a line that is no C", "This is no C.", "<<<<<<< HEAD", "struct;", "int;", "enum;", "struct { int x; };", "int x",
		"+", "typedef;", ";", "return 0;", "0"),
	insertLine("a line for the preprocessor", "#pragma pack(1)", "#pragma pack(push, 1)", "#error stop", "#if 1", "#else", "#endif",
		"#if", "#include", "#define",
		"#undef NULL", "#line 7 \"other.h\"", "#define struct union", "#define uint32_t uint64_t", "#define const", "#define sizeof",
		"#pragma once", "#if 1/0"),
	insertLine("an include", "#include <infiniband/verbs.h>", "#include \"absent.h\"", "#include <infiniband/verbs_api.h>",
		"#include \"/dev/null\"", "#include <stdio.h>", "#include \".\""),
	{"a byte changed", func(r *rand.Rand, s *source) (string, string) {
		text := strings.Join(s.lines, "\n")
		i := r.IntN(len(text))
		b := byte(32 + r.IntN(95))
		return text[:i] + string(b) + text[i+1:], fmt.Sprintf("%q becomes %q in %s", text[i], b, at(strings.Count(text[:i], "\n")))
	}},
	{"other ends of lines", func(r *rand.Rand, s *source) (string, string) {
		return strings.Join(s.lines, []string{"\r\n", "\n\n"}[r.IntN(2)]), "all"
	}},
	{"deep brackets", func(r *rand.Rand, s *source) (string, string) {
		i, ok := pick(r, s.enumerators)
		if !ok {
			return "", ""
		}
		n := []int{50, 150, 5000}[r.IntN(3)]
		m := enumeratorLine.FindStringSubmatch(s.lines[i])
		return s.with(i, i, "\t"+m[1]+" = "+strings.Repeat("(", n)+"1"+strings.Repeat(")", n)+","), fmt.Sprint(m[1], " in ", n, " brackets")
	}},
	{"macros that grow", func(r *rand.Rand, s *source) (string, string) {
		var b strings.Builder
		b.WriteString("#define G0 1 + 1\n")
		n := 3 + r.IntN(30)
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, "#define G%d G%d + G%d\n", i, i-1, i-1)
		}
		return s.before(len(s.lines)-2, b.String(), fmt.Sprintf("enum vg_grown { VG_GROWN = G%d };", n)), fmt.Sprint(n, " doublings")
	}},
}

var arrays = []kind{
	field("length of an array", func(r *rand.Rand, ctype, stars, name, _ string) string {
		return ctype + " " + stars + name + []string{"[1]", "[3]", "[64]", "[65]", "[2][2]", "[256]"}[r.IntN(6)]
	}),
	field("an array without length", func(r *rand.Rand, ctype, stars, name, _ string) string {
		return ctype + " " + stars + name + []string{"[]", "[0]", "[][2]", "[0][0]"}[r.IntN(4)]
	}),
	field("an odd length of an array", func(r *rand.Rand, ctype, stars, name, _ string) string {
		return ctype + " " + stars + name + []string{"[-1]", "[1 << 40]", "[nothing]", "[1.5]", "[sizeof(struct ibv_nowhere)]",
			"[0x7fffffffffffffff]", "[1u - 2]"}[r.IntN(7)]
	}),
	changed("a flexible array at the end", []string{isRecord}, func(r *rand.Rand, s *source, d span) (string, string) {
		line := []string{"\tuint8_t vg_rest[];", "\tuint64_t vg_rest[];", "\tuint8_t vg_rest[0];", "\tstruct ibv_sge vg_rest[];"}[r.IntN(4)]
		return s.before(d.last, line), d.name + ": " + strings.TrimSpace(line)
	}),
}
