package mutate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// ctypes are types that a declaration may come to have.
var ctypes = []string{"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int", "char", "void *", "size_t", "__be32", "__be64",
	"long long", "float", "double",
	"long double", "_Bool", "short", "struct ibv_context *", "struct ibv_mr", "union ibv_gid", "enum ibv_mtu", "char **", "int *",
	"uint8_t *", "const char *",
	"int (*)(void)", "struct ibv_nowhere *", "pthread_mutex_t", "struct timespec", "void", "struct ibv_pd", "unsigned __int128",
	"wchar_t", "time_t"}

// declared puts a name where C wants it in a type.
func declared(ctype, name string) string {
	if before, after, ok := strings.Cut(ctype, "(*)"); ok {
		return before + "(*" + name + ")" + after
	}
	return ctype + " " + name
}

// field is a kind that rewrites the declaration of a field.
func field(name string, change func(r *rand.Rand, ctype, stars, field, bounds string) string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		i, ok := pick(r, s.fields)
		if !ok {
			return "", ""
		}
		m := fieldLine.FindStringSubmatch(s.lines[i])
		line := m[1] + change(r, m[2], strings.Repeat("*", strings.Count(m[3], "*")), m[4], m[5]) + ";"
		if line == s.lines[i] {
			return "", ""
		}
		return s.with(i, i, line), at(i) + ": " + strings.TrimSpace(s.lines[i]) + " becomes " + strings.TrimSpace(line)
	}}
}

var types = []kind{
	field("type of a field", func(r *rand.Rand, _, _, name, bounds string) string {
		return declared(ctypes[r.IntN(len(ctypes))], name) + bounds
	}),
	field("a field const", func(_ *rand.Rand, ctype, stars, name, bounds string) string {
		return "const " + ctype + " " + stars + name + bounds
	}),
	field("a field volatile", func(_ *rand.Rand, ctype, stars, name, bounds string) string {
		return "volatile " + ctype + " " + stars + name + bounds
	}),
	field("a pointer more", func(_ *rand.Rand, ctype, stars, name, bounds string) string {
		return ctype + " *" + stars + name + bounds
	}),
	field("a field becomes a bit-field", func(r *rand.Rand, _, _, name, _ string) string {
		return fmt.Sprintf("uint32_t %s : %d", name, r.IntN(33))
	}),
	changed("a struct becomes a union", []string{isRecord}, func(_ *rand.Rand, s *source, d span) (string, string) {
		line := s.lines[d.first]
		if strings.HasPrefix(line, "struct") {
			line = "union" + strings.TrimPrefix(line, "struct")
		} else {
			line = "struct" + strings.TrimPrefix(line, "union")
		}
		return s.with(d.first, d.first, line), d.name
	}),
	changed("a record packed or aligned", []string{isRecord}, func(r *rand.Rand, s *source, d span) (string, string) {
		how := []string{"__attribute__((packed))", "__attribute__((aligned(64)))", "__attribute__((__packed__, aligned(4)))"}[r.IntN(3)]
		return s.with(d.last, d.last, "} "+how+";"), d.name + " " + how
	}),
	{"a field packed or aligned", func(r *rand.Rand, s *source) (string, string) {
		i, ok := pick(r, s.fields)
		if !ok {
			return "", ""
		}
		how := []string{"__attribute__((packed))", "__attribute__((aligned(32)))", "_Alignas(16)"}[r.IntN(3)]
		line := strings.Replace(s.lines[i], ";", " "+how+";", 1)
		if how[1] == 'A' {
			line = "\t_Alignas(16) " + strings.TrimSpace(s.lines[i])
		}
		return s.with(i, i, line), at(i) + ": " + strings.TrimSpace(line)
	}},
}

// enumerator is a kind that gives an enumerator another value.
func enumerator(name string, values ...string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		i, ok := pick(r, s.enumerators)
		if !ok {
			return "", ""
		}
		m := enumeratorLine.FindStringSubmatch(s.lines[i])
		line := "\t" + m[1] + " = " + values[r.IntN(len(values))] + ","
		return s.with(i, i, line), at(i) + ": " + strings.TrimSpace(s.lines[i]) + " becomes " + strings.TrimSpace(line)
	}}
}

var values = []kind{
	enumerator("value of an enumerator", "0", "1", "7", "0x7f", "0x40000000", "1 << 31", "12345"),
	enumerator("a negative value", "-1", "-2", "-2147483648", "~0"),
	enumerator("a huge value", "0xffffffff", "0x100000000", "1ULL << 63", "-9223372036854775807LL - 1", "0xffffffffffffffffULL", "1 << 40"),
	enumerator("no constant", "1.5", `"text"`, "sizeof(struct ibv_nowhere)", "1 / 0", "nothing", "(struct ibv_pd){0}", "&errno",
		"(int)sizeof(struct ibv_context)", "'x'"),
	changed("value of a macro", []string{isMacro}, func(r *rand.Rand, s *source, d span) (string, string) {
		value := []string{"", "0", "77", "-1", "1.5", "\"text\"", "0xffffffffffffffffULL", "IBV_WC_GRH", "ibv_pd", d.name, "(",
			"struct", "((void *)-2)"}[r.IntN(13)]
		return s.with(d.first, d.last, "#define "+d.name+" "+value), d.name + " becomes " + value
	}),
}

var word = regexp.MustCompile(`[A-Za-z_]\w*`)

// identifiers lists the places of names in the code of a header.
func (s *source) identifiers() (text string, places [][]int) {
	text = strings.Join(s.lines, "\n")
	return text, word.FindAllStringIndex(withoutComments(text), -1)
}

// rename is a kind that gives other names.
func rename(name string, everywhere bool, to func(r *rand.Rand, old string) string) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		text, places := s.identifiers()
		p, ok := pick(r, places)
		if !ok {
			return "", ""
		}
		old := text[p[0]:p[1]]
		fresh := to(r, old)
		note := old + " becomes " + fresh
		if everywhere {
			return regexp.MustCompile(`\b`+old+`\b`).ReplaceAllLiteralString(text, fresh), note + " everywhere"
		}
		return text[:p[0]] + fresh + text[p[1]:], note + " at " + at(strings.Count(text[:p[0]], "\n"))
	}}
}

// oddNames mean something to Go, to cgo or to nobody.
var oddNames = []string{"type", "func", "_", "c", "map", "range", "C", "init", "nil", "string", "é", "x1", "struct", "int",
	"main", "verb", "err", "_cgo", "Type", "a.b"}

func odd(r *rand.Rand, _ string) string { return oddNames[r.IntN(len(oddNames))] }

var names = []kind{
	rename("a name changed once", false, func(_ *rand.Rand, old string) string { return old + "x" }),
	rename("a name changed everywhere", true, func(_ *rand.Rand, old string) string { return old + "x" }),
	rename("an odd name once", false, odd),
	rename("an odd name everywhere", true, odd),
	field("an odd name for a field", func(r *rand.Rand, ctype, stars, _, bounds string) string {
		return ctype + " " + stars + odd(r, "") + bounds
	}),
	{"#define of a name", func(r *rand.Rand, s *source) (string, string) {
		text, places := s.identifiers()
		a, okA := pick(r, places)
		b, okB := pick(r, places)
		i, okI := pick(r, s.of(isRecord, isEnum, isFunction))
		if !okA || !okB || !okI {
			return "", ""
		}
		line := "#define " + text[a[0]:a[1]] + " " + []string{text[b[0]:b[1]], "", "int", "struct ibv_pd"}[r.IntN(4)]
		where := []int{0, i.first}[r.IntN(2)]
		return s.before(where, line), line + " before " + at(where)
	}},
	{"#define of a tag", func(r *rand.Rand, s *source) (string, string) {
		list := s.of(isRecord, isEnum)
		a, okA := pick(r, list)
		b, okB := pick(r, list)
		if !okA || !okB {
			return "", ""
		}
		line := "#define " + a.name + " " + b.name
		where := []int{0, a.first, a.last + 1}[r.IntN(3)]
		return s.before(where, line), line + " before " + at(where)
	}},
	{"#define of a function", func(r *rand.Rand, s *source) (string, string) {
		list := s.of(isFunction, isInline)
		a, okA := pick(r, list)
		b, okB := pick(r, list)
		if !okA || !okB {
			return "", ""
		}
		line := "#define " + a.name + []string{" ", "(...) "}[r.IntN(2)] + b.name
		where := []int{0, a.first, a.last + 1, len(s.lines) - 2}[r.IntN(4)]
		return s.before(where, line), line + " before " + at(where)
	}},
}
