package mutate

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// signature is a function's declaration taken apart.
type signature struct {
	result string
	name   string
	params []string
	rest   string // a semicolon, or a body
}

var signatureOf = regexp.MustCompile(`(?s)^(.*?)\b(\w+)\(([^()]*)\)(.*)$`)

// split takes a declaration apart; ok is false where a parameter has brackets.
func split(text string) (g signature, ok bool) {
	m := signatureOf.FindStringSubmatch(text)
	if m == nil {
		return g, false
	}
	g = signature{result: m[1], name: m[2], rest: m[4]}
	if strings.TrimSpace(m[3]) != "void" {
		for _, p := range strings.Split(m[3], ",") {
			g.params = append(g.params, strings.Join(strings.Fields(p), " "))
		}
	}
	return g, true
}

func (g signature) String() string {
	params := strings.Join(g.params, ", ")
	if params == "" {
		params = "void"
	}
	return g.result + g.name + "(" + params + ")" + g.rest
}

// function is a kind that changes a signature.
func function(name string, of []string, change func(r *rand.Rand, g *signature) bool) kind {
	return kind{name, func(r *rand.Rand, s *source) (string, string) {
		for range 20 {
			d, ok := pick(r, s.of(of...))
			if !ok {
				return "", ""
			}
			g, ok := split(s.text(d))
			if !ok || !change(r, &g) {
				continue
			}
			head, _, _ := strings.Cut(g.String(), "{")
			return s.with(d.first, d.last, g.String()), strings.Join(strings.Fields(head), " ")
		}
		return "", ""
	}}
}

var eitherForm, plain = []string{isFunction, isInline}, []string{isFunction}

// paramName is the name at the end of a parameter.
var paramName = regexp.MustCompile(`\w+$`)

var functions = []kind{
	function("a parameter removed", eitherForm, func(r *rand.Rand, g *signature) bool {
		if len(g.params) == 0 {
			return false
		}
		i := r.IntN(len(g.params))
		g.params = append(g.params[:i:i], g.params[i+1:]...)
		return true
	}),
	function("a parameter added", eitherForm, func(r *rand.Rand, g *signature) bool {
		i := r.IntN(len(g.params) + 1)
		g.params = append(g.params[:i:i], append([]string{declared(ctypes[r.IntN(len(ctypes))], "vg_more")}, g.params[i:]...)...)
		return true
	}),
	function("type of a parameter", eitherForm, func(r *rand.Rand, g *signature) bool {
		if len(g.params) == 0 {
			return false
		}
		i := r.IntN(len(g.params))
		g.params[i] = declared(ctypes[r.IntN(len(ctypes))], paramName.FindString(g.params[i]))
		return true
	}),
	function("name of a parameter", eitherForm, func(r *rand.Rand, g *signature) bool {
		if len(g.params) == 0 {
			return false
		}
		i := r.IntN(len(g.params))
		g.params[i] = paramName.ReplaceAllString(g.params[i], []string{"", "type", "fn0_", "err", "verb", "o", "pd_"}[r.IntN(7)])
		return true
	}),
	function("two parameters swapped", eitherForm, func(r *rand.Rand, g *signature) bool {
		if len(g.params) < 2 {
			return false
		}
		i := r.IntN(len(g.params) - 1)
		g.params[i], g.params[i+1] = g.params[i+1], g.params[i]
		return true
	}),
	function("a function variadic", eitherForm, func(r *rand.Rand, g *signature) bool {
		g.params = append(g.params, "...")
		return len(g.params) > 1
	}),
	function("a function without prototype", plain, func(r *rand.Rand, g *signature) bool {
		g.params, g.rest = nil, ""
		g.result, g.name = g.result+g.name+"();\nint ", "ibv_vg_more"
		g.rest = ";"
		return true
	}),
	function("type of a result", eitherForm, func(r *rand.Rand, g *signature) bool {
		static := ""
		if strings.HasPrefix(g.result, "static inline ") {
			static = "static inline "
		}
		g.result = static + []string{"void ", "int ", "uint64_t ", "void *", "const char *", "double ", "struct ibv_mr ",
			"struct ibv_mr *", "enum ibv_mtu ", "unsigned char ",
			"struct ibv_nowhere ", "struct ibv_device **", "_Bool "}[r.IntN(13)]
		return true
	}),
	function("a function becomes inline", plain, func(r *rand.Rand, g *signature) bool {
		body := []string{"", "return 0;", "while (1);", "ibv_fork_init();", "extern int x; x = 1;"}[r.IntN(5)]
		g.result, g.rest = "static inline "+g.result, "\n{\n\t"+body+"\n}"
		return true
	}),
	function("an inline function loses its body", []string{isInline}, func(r *rand.Rand, g *signature) bool {
		g.result, g.rest = strings.TrimPrefix(g.result, "static inline "), ";"
		return true
	}),
	function("a body changed", []string{isInline}, func(r *rand.Rand, g *signature) bool {
		old := g.rest
		for _, p := range [][2]string{{"context", "pd"}, {"ops.", "ops.x"}, {"!", ""}, {"EOPNOTSUPP", "ENOSYS"}, {"return", "(void)"},
			{"(qp", "(0"}, {"->", "."}, {"0", "1"}} {
			if r.IntN(3) == 0 {
				g.rest = strings.Replace(g.rest, p[0], p[1], 1)
			}
		}
		return g.rest != old
	}),
}

// added is a kind that puts a declaration where one begins.
func added(name string, texts ...string) kind {
	return changed(name, []string{isRecord, isEnum, isFunction}, func(r *rand.Rand, s *source, d span) (string, string) {
		text := texts[r.IntN(len(texts))]
		return s.before(d.first, text), text + " before " + at(d.first)
	})
}

var additions = []kind{
	changed("a field more at the end", []string{isRecord}, func(r *rand.Rand, s *source, d span) (string, string) {
		line := "\t" + declared(ctypes[r.IntN(len(ctypes))], "vg_more") + ";"
		return s.before(d.last, line), d.name + ": " + strings.TrimSpace(line)
	}),
	changed("an enumerator more", []string{isEnum}, func(r *rand.Rand, s *source, d span) (string, string) {
		line := "\tVG_MORE" + []string{"", " = -1", " = 1 << 30", " = 0x100000000"}[r.IntN(4)] + ","
		return s.with(d.first, d.first, s.lines[d.first], line), d.name + ": " + strings.TrimSpace(line)
	}),
	added("a function more", "int ibv_vg_more(struct ibv_context *context, uint32_t flags);", "void ibv_vg_more(void);",
		"struct ibv_vg *ibv_vg_more(struct ibv_pd *pd, ...);",
		"int ibv_vg_more(int);", "static inline int ibv_vg_more(int x) { return x; }",
		"int ibv_reg_mr_vg(struct ibv_pd *pd, void (*fn)(int), double d);"),
	added("a record more", "struct ibv_vg_more { int x; };", "struct ibv_vg_more;",
		"struct ibv_vg_more { struct { int x; } y[2]; union { int a; float b; }; };",
		"struct ibv_vg_more {};", "typedef struct { int type; } ibv_vg_more_t;", "union ibv_vg_more { uint64_t a; uint8_t b[8]; };"),
	added("an enum more", "enum ibv_vg_more { VG_A, VG_B = 5 };", "enum { VG_A = -1 };", "enum ibv_vg_more { VG_A = 1ULL << 40 };"),
	added("a macro more", "#define VG_MORE 5", "#define VG_MORE \"text\"", "#define VG_MORE(x) x",
		"#define VG_MORE 0xffffffffffffffff", "#define VG_MORE IBV_WC_GRH"),
	added("a variable or typedef more", "extern int vg_more;", "typedef int vg_more_t;",
		"typedef uint32_t (*vg_more_t)(struct ibv_pd *);", "static const int vg_more = 4;"),
}
