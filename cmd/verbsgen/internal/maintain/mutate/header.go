package mutate

import (
	"fmt"
	"strings"
)

// Header makes mutants of headers that are laid out as verbs.h is.
func Header(seed uint64, names []string, files map[string]string) *Set {
	return newSet(seed, headerKinds(), names, files, map[string][]string{
		"type": {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int", "char", "void *", "size_t", "__be32", "__be64", "long long", "float",
			"double", "long double", "_Bool", "short", "struct ibv_context *", "struct ibv_mr", "union ibv_gid", "enum ibv_mtu", "char **",
			"int *", "uint8_t *", "const char *", "struct ibv_nowhere *", "pthread_mutex_t", "struct timespec", "void", "struct ibv_pd",
			"unsigned __int128", "wchar_t", "time_t", "__typeof__(int (*)(void))"},
		// they mean something to Go, to cgo or to nobody
		"odd": {"type", "func", "_", "c", "map", "range", "C", "init", "nil", "string", "é", "x1", "struct", "int", "main", "verb", "err",
			"_cgo", "Type", "a.b"},
	}, map[string]string{"word": word, "tag": `(?m)^(?:struct|union|enum) (\w+) \{`, "function": `(?m)^[a-z][\w *\n]*?(\w+)\(`})
}

// Declarations, and parts of them.
const (
	record     = `(?ms:^(?:struct|union) \w+ \{\n.*?^\};\n)`
	enum       = `(?ms:^enum (?:\w+ )?\{\n.*?^\};\n)`
	function   = `(?m:^[a-z][\w *\n]*\([^(){};]*\);\n)`
	inline     = `(?ms:^static inline [^;{}]*\)\s*\{\n.*?^\}\n)`
	macro      = `(?m:^#define \w+.*\n)`
	either     = `(?m:^[a-z][\w *\n]*\([^(){};]*\))` // of a function: without its body
	anything   = record + "|" + enum + "|" + function + "|" + inline + "|" + macro
	begin      = `(?m:^(?:struct|union|enum|int|void|const|static)\b)`
	field      = `(?m:^(\t+)((?:const )?(?:struct |union |enum |unsigned |signed )?\w+)(\s+\**|\s*\*+\s*)(\w+)((?:\[\w*\])*);)`
	enumerator = `(?m:^(\t+[A-Z]\w+)(?:\s*=[^,/\n]+)?,)`
	word       = `[A-Za-z_]\w*`
	line       = `(?m:^.+\n)`
	letter     = `(?s:.)`
	end        = `\};\n$`
)

func headerKinds() []kind {
	k := func(name, in, old string, new ...string) kind { return kind{name: name, in: in, old: old, new: new} }
	all := func(name, old string, new ...string) kind { return kind{name: name, old: old, new: new, all: true} }
	const alone = "#include <stdint.h>\n#include <stddef.h>\n"
	return []kind{
		k("cut at a line", "", `\n`, "\n{cut}"),
		k("cut at a line, #endif added", "", `\n`, "\n#endif\n{cut}"),
		k("cut at a byte", "", letter, "{cut}"),
		k("cut at a byte, #endif added", "", letter, "\n#endif\n{cut}"),
		k("cut after a declaration, #endif added", "", anything, "$0#endif\n{cut}"),
		k("the first half is missing", "", record, alone+"#include <pthread.h>\n#include <infiniband/verbs_api.h>\n#if 1\n{from}$0"),
		k("one function alone", "", function, alone+"struct ibv_device **ibv_get_device_list(int *num_devices);\n{from}$0{cut}"),

		k("a line removed", "", line, ""),
		k("a field removed", record, field, ""),
		k("an enumerator removed", enum, enumerator, ""),
		k("a record removed", "", record, ""),
		k("an enum removed", "", enum, ""),
		k("a function removed", "", function, ""),
		k("an inline function removed", "", inline, ""),
		k("a macro removed", "", macro, ""),
		k("an include removed", "", `(?m)^#include .*\n`, ""),
		k("a declaration under #if 0", "", anything, "#if 0\n$0#endif\n"),
		k("a line in a body removed", inline, `(?m)^\t.*\n`, ""),
		k("an empty record", record, `(?s)\{.*\}`, "{\n}"),
		k("an empty enum", enum, `(?s)\{.*\}`, "{\n}"),
		k("a record declared only", record, `(?s)^(\w+ \w+).*`, "$1;\n"),

		k("two fields swapped", record, `(\t.*;.*\n)(\t.*;.*\n)`, "$2$1"),
		k("two enumerators swapped", enum, `(\t.*,.*\n)(\t.*,.*\n)`, "$2$1"),
		k("two lines swapped", "", `(?m)^(.+\n)(.+\n)`, "$2$1"),
		k("two records swapped", "", "("+record+`)(\s*)(`+record+")", "$3$2$1"),
		k("two functions swapped", "", "("+function+`)(\s*)(`+function+")", "$3$2$1"),
		k("a line twice", "", line, "$0$0"),
		k("a declaration twice", "", anything, "$0$0"),
		k("the header twice", "", `(?s)^.*$`, "$0$0"),

		k("type of a field", record, field, "$1{type} $4$5;"),
		k("a pointer to a function", record, field, "${1}int (*$4)(void);"),
		k("a field const or volatile", record, field, "${1}const $2 $3$4$5;", "${1}volatile $2 $3$4$5;"),
		k("a pointer more", record, field, "$1$2 *$3$4$5;"),
		k("a field becomes a bit-field", record, field, "${1}uint32_t $4 : 0;", "${1}uint32_t $4 : 7;", "${1}uint32_t $4 : 32;",
			"${1}uint32_t $4 : 33;"),
		k("a struct becomes a union", record, `^struct`, "union"),
		k("a record packed or aligned", record, end, "} __attribute__((packed));\n", "} __attribute__((aligned(64)));\n",
			"} __attribute__((__packed__, aligned(4)));\n"),
		k("a field packed or aligned", record, field, "$1$2$3$4$5 __attribute__((packed));", "$1$2$3$4$5 __attribute__((aligned(32)));",
			"${1}_Alignas(16) $2$3$4$5;"),

		k("value of an enumerator", enum, enumerator, "$1 = 0,", "$1 = 1,", "$1 = 0x7f,", "$1 = 0x40000000,", "$1 = 1 << 31,", "$1 = 12345,"),
		k("a negative value", enum, enumerator, "$1 = -1,", "$1 = -2147483648,", "$1 = ~0,"),
		k("a huge value", enum, enumerator, "$1 = 0xffffffff,", "$1 = 0x100000000,", "$1 = 1ULL << 63,", "$1 = -9223372036854775807LL - 1,",
			"$1 = 0xffffffffffffffffULL,", "$1 = 1 << 40,"),
		k("no constant", enum, enumerator, "$1 = 1.5,", `$1 = "text",`, "$1 = sizeof(struct ibv_nowhere),", "$1 = 1 / 0,", "$1 = nothing,",
			"$1 = (struct ibv_pd){0},", "$1 = &errno,", "$1 = (int)sizeof(struct ibv_context),", "$1 = 'x',"),
		k("deep brackets", enum, enumerator, "$1 = "+strings.Repeat("(", 150)+"1"+strings.Repeat(")", 150)+",",
			"$1 = "+strings.Repeat("(", 5000)+"1"+strings.Repeat(")", 5000)+","),
		k("value of a macro", "", `(?m)^#define (\w+).*`, "#define $1", "#define $1 0", "#define $1 -1", "#define $1 1.5", `#define $1 "text"`,
			"#define $1 0xffffffffffffffffULL", "#define $1 IBV_WC_GRH", "#define $1 ibv_pd", "#define $1 $1", "#define $1 (",
			"#define $1 struct", "#define $1 ((void *)-2)"),

		k("a name changed once", "", word, "${0}x"),
		all("a name changed everywhere", word, "${0}x"),
		k("an odd name once", "", word, "{odd}"),
		all("an odd name everywhere", word, "{odd}"),
		k("an odd name for a field", record, field, "$1$2$3{odd}$5;"),
		k("#define of a name", "", begin, "#define {word} {word}\n$0", "#define {word}\n$0", "#define {word} int\n$0"),
		k("#define of a tag", "", begin, "#define {tag} {tag}\n$0"),
		k("#define of a function", "", begin, "#define {function} {function}\n$0", "#define {function}(...) {function}\n$0"),

		k("a bracket removed", "", `[(){}\[\]]`, ""),
		k("a mark removed", "", `[;,*#=]`, ""),
		k("an end of comment removed", "", `/`, ""),
		k("a bracket too many", "", letter, "$0(", "$0)", "$0{", "$0}", "$0[", "$0]"),
		k("a comment opened", "", letter, "$0/*", "$0*/", "$0//", `$0"`),
		k("a byte that is no text", "", letter, "$0\x00", "$0\xff", "$0\x1b", "$0\x01", "$0\r", "$0\u202e", "$0\f", `$0\`, "$0@", "$0`", "$0$$"),
		k("a byte changed", "", letter, "a", "Z", "0", " ", "_", "(", ";", "*", "-", "."),
		k("a line that is no C", "", `(?m)^`, "This is no C.\n", "<<<<<<< HEAD\n", "struct;\n", "int;\n", "enum;\n", "struct { int x; };\n",
			"int x\n", "+\n", "typedef;\n", ";\n", "return 0;\n"),
		k("a line for the preprocessor", "", `(?m)^`, "#pragma pack(1)\n", "#pragma pack(push, 1)\n", "#error stop\n", "#if 1\n", "#else\n",
			"#endif\n", "#if\n", "#include\n", "#define\n", "#undef NULL\n", "#line 7 \"other.h\"\n", "#define struct union\n",
			"#define uint32_t uint64_t\n", "#define const\n", "#define sizeof\n", "#if 1/0\n"),
		k("an include", "", `(?m)^`, "#include <infiniband/verbs.h>\n", "#include \"absent.h\"\n", "#include <infiniband/verbs_api.h>\n",
			"#include \"/dev/null\"\n", "#include <stdio.h>\n", "#include \".\"\n"),
		all("other ends of lines", `\n`, "\r\n", "\n\n"),
		k("macros that grow", "", `#endif[^\n]*\n*$`, grown(5)+"$0", grown(20)+"$0", grown(32)+"$0"),

		k("length of an array", record, field, "$1$2$3$4[1];", "$1$2$3$4[3];", "$1$2$3$4[65];", "$1$2$3$4[2][2];"),
		k("an array without length", record, field, "$1$2$3$4[];", "$1$2$3$4[0];", "$1$2$3$4[][2];", "$1$2$3$4[0][0];"),
		k("an odd length of an array", record, field, "$1$2$3$4[-1];", "$1$2$3$4[1 << 40];", "$1$2$3$4[nothing];", "$1$2$3$4[1.5];",
			"$1$2$3$4[sizeof(struct ibv_nowhere)];", "$1$2$3$4[0x7fffffffffffffff];", "$1$2$3$4[1u - 2];"),
		k("a flexible array at the end", record, end, "\tuint8_t vg_rest[];\n};\n", "\tuint64_t vg_rest[];\n};\n",
			"\tuint8_t vg_rest[0];\n};\n", "\tstruct ibv_sge vg_rest[];\n};\n"),

		k("a parameter removed", either, `(\()[^,()]+,\s*|,[^,()]+`, "$1"),
		k("a parameter added", either, `[(,]`, "$0{type} vg_more, "),
		k("type of a parameter", either, `([(,]\s*)[^,()]*?(\w+)([,)])`, "$1{type} $2$3"),
		k("name of a parameter", either, `\w+([,)])`, "$1", "type$1", "fn0_$1", "err$1", "verb$1", "o$1", "pd_$1"),
		k("two parameters swapped", either, `([(,]\s*)([^,()]+)(,\s*)([^,()]+)`, "$1$4$3$2"),
		k("a function variadic", either, `\)$`, ", ...)"),
		k("a function without prototype", function, `\([^()]*\)`, "()"),
		k("type of a result", either, `^(static inline )?(?:.|\n)*?(\w+\()`, "$1{type} $2"),
		k("a function becomes inline", function, `(?s)^(.*);\n$`, "static inline $1\n{\n}\n", "static inline $1\n{\n\treturn 0;\n}\n",
			"static inline $1\n{\n\twhile (1);\n}\n", "static inline $1\n{\n\textern int x; x = 1;\n}\n"),
		k("an inline function loses its body", inline, `(?s)^static inline (.*?\))\s*\{.*`, "$1;\n"),
		k("a body changed", inline, `\b(?:context|EOPNOTSUPP|return)\b|!|->|0`, "pd", "", ".", "1", "ENOSYS", "(void)"),

		k("a field more at the end", record, end, "\t{type} vg_more;\n};\n"),
		k("an enumerator more", enum, `\{\n`, "{\n\tVG_MORE,\n", "{\n\tVG_MORE = -1,\n", "{\n\tVG_MORE = 1 << 30,\n",
			"{\n\tVG_MORE = 0x100000000,\n"),
		k("a function more", "", begin, "int ibv_vg_more(struct ibv_context *context, uint32_t flags);\n$0", "void ibv_vg_more(void);\n$0",
			"struct ibv_vg *ibv_vg_more(struct ibv_pd *pd, ...);\n$0", "static inline int ibv_vg_more(int x) { return x; }\n$0",
			"int ibv_reg_mr_vg(struct ibv_pd *pd, void (*fn)(int), double d);\n$0"),
		k("a record more", "", begin, "struct ibv_vg_more { int x; };\n$0", "struct ibv_vg_more;\n$0", "struct ibv_vg_more {};\n$0",
			"struct ibv_vg_more { struct { int x; } y[2]; union { int a; float b; }; };\n$0",
			"typedef struct { int type; } ibv_vg_more_t;\n$0", "union ibv_vg_more { uint64_t a; uint8_t b[8]; };\n$0"),
		k("an enum more", "", begin, "enum ibv_vg_more { VG_A, VG_B = 5 };\n$0", "enum { VG_A = -1 };\n$0",
			"enum ibv_vg_more { VG_A = 1ULL << 40 };\n$0"),
		k("a macro more", "", begin, "#define VG_MORE 5\n$0", "#define VG_MORE \"text\"\n$0", "#define VG_MORE(x) x\n$0",
			"#define VG_MORE 0xffffffffffffffff\n$0", "#define VG_MORE IBV_WC_GRH\n$0"),
		k("a variable or typedef more", "", begin, "extern int vg_more;\n$0", "typedef int vg_more_t;\n$0",
			"typedef uint32_t (*vg_more_t)(struct ibv_pd *);\n$0", "static const int vg_more = 4;\n$0"),
	}
}

// grown is an enumerator whose value is made of macros that double n times.
func grown(n int) string {
	var b strings.Builder
	b.WriteString("#define G0 1 + 1\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "#define G%d G%d + G%d\n", i, i-1, i-1)
	}
	return b.String() + fmt.Sprintf("enum vg_grown { VG_GROWN = G%d };\n", n)
}
