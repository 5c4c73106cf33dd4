package mutate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Pages makes mutants of the YAML files of a folder.
func Pages(seed uint64, files map[string]string) *Set {
	return newSet(seed, pageKinds(), slices.Sorted(maps.Keys(files)), files, map[string][]string{
		"closed": strings.Fields(closedWords),
		"odd": {"", `""`, "0", "-1", "1", "64", "255", "4294967296", "99999999999999999999", "1e9", "null", "NULL", "true", "false", "[]", "{}",
			"[a]", "{a: b}", "~", "\"\u3164\"", "'@a'", "&a b", "*a", "!!int 3", "|", "x", "X", "func", "err", "lib", "Lib", "Lib.Close",
			"Close", "go", "int", "string", "_", "a.b.c", "verbs.PD", "store.Box", "none.Thing", "ptr", "unsafe", "verr", ".", "..", "/",
			"*", "a b", "{IBV_X}", "{", "%s"},
	}, map[string]string{"any": yamlWord, "entry": entry(2) + "|" + entry(4)})
}

// closedWords are words that pages choose from.
const closedWords = `handle in flags enum in_record out_record in_out_record out bytes slice filled addr len data sockaddr given made mask
	out_mask errno null_errno minus1_errno errno_either number_minus1 number_negated void value rereg buffer pin implicit end next_record attach detach special
	stream reader requires excludes mandatory gated_by required not_null range aligned cap_bound depends_on mask_for_transition allowed_set
	object handle marks none device host memory allocator context network event entry lazy out in arm tail points nested hide type c role tag is
	size new bit bool text count null parent moves reads rest from hex means creates destroy parents methods params fixed form fields members
	prefix doc docs names needs_verbs needs_types state_from getters lends also callback len pair default updates lists asks extent iova`

// Parts of pages.
const (
	yamlWord = `[A-Za-z_][\w.]*|-?[0-9][\w.]*`
	yamlKey  = `[\w.]+:`
	yamlMark = `[][{},:"|>-]`
)

// entry is a line that is so deep, with what is deeper below it.
func entry(deep int) string {
	return fmt.Sprintf(`(?m:^ {%d}[^ \n].*\n(?: {%d,}.*\n|\n)*)`, deep, deep+1)
}

func pageKinds() []kind {
	k := func(name, old string, new ...string) kind { return kind{name: name, old: old, new: new} }
	return []kind{
		k("an entry removed", entry(2), ""),
		k("a deep entry removed", entry(4), ""),
		k("an entry twice", entry(2), "$0$0"),
		k("a deep entry twice", entry(4), "$0$0"),
		k("two entries swapped", "("+entry(0)+")("+entry(0)+")", "$2$1"),
		k("two deep entries swapped", "("+entry(4)+")("+entry(4)+")", "$2$1"),
		k("an entry of another place", entry(2), "{entry}$0"),
		k("a line indented otherwise", `(?m)^  `, "", "    "),
		k("the end cut off", letter, "{cut}"),
		k("another word", yamlWord, "{any}"),
		k("another word of the closed lists", yamlWord, "{closed}"),
		k("an odd value", yamlWord, "{odd}"),
		k("another key", yamlKey, "{closed}:"),
		k("a key more", yamlKey, "{closed}: {any}, $0", "{closed}: {odd}, $0"),
		{name: "a word changed everywhere", old: yamlWord, new: []string{"{any}"}, all: true},
		k("a letter changed", `\w`, "a", "Z", "_", "0", ".", "-", " ", "é"),
		k("a mark removed", yamlMark, ""),
		k("a mark twice", yamlMark, "$0$0"),
		k("another mark", yamlMark, "[", "]", "{", "}", ",", ":", `"`, "'", "|", "#", "&", "*", "!"),
		k("a list emptied", `(\[)[^\]]*(\])|(\{)[^{}]*(\})`, "$1$2$3$4"),
		k("a list that is long", `\[([^\]]+)\]`, "["+strings.Repeat("$1, ", 20)+"$1]", "["+strings.Repeat("$1, ", 2000)+"$1]"),
	}
}
