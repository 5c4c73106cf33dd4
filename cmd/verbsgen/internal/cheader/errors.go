package cheader

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// maxSize and maxDepth keep odd input from exhausting memory or the stack: the C parser recurses for each bracket.
// verbs.h has 130 KB and a depth of 7.
const (
	maxSize  = 16 << 20
	maxDepth = 200
)

// checkHeader looks at the file before the C parser does.
func (p *parser) checkHeader() diag.List {
	file := p.opts.Header
	data, err := regular.Read(file, maxSize)
	if err != nil {
		return diag.From(unreadable(file, err))
	}
	return diag.From(checkText(file, data))
}

// unreadable reports why a file cannot be read.
func unreadable(file string, err error) error {
	return diag.New(diag.HeaderRead, file, 0, 0, "header", "cannot be read: "+diag.Reason(err),
		"name an existing header, or use --release")
}

// checkText refuses what is no C text.
func checkText(file string, data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return diag.New(diag.HeaderEmpty, file, 1, 1, "header", "is empty", "install it again (libibverbs-dev)")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		line, col := lineCol(data, i)
		return diag.New(diag.HeaderBinary, file, line, col, "header", "contains a NUL byte, so it is not text", "name a C header")
	}
	if !utf8.Valid(data) {
		i := firstInvalid(data)
		line, col := lineCol(data, i)
		return diag.New(diag.HeaderNotUTF8, file, line, col, "header", fmt.Sprintf("byte %#02x is not UTF-8", data[i]),
			"convert the header to UTF-8")
	}
	if text := bytes.TrimSuffix(bytes.TrimSuffix(data, []byte("\n")), []byte("\r")); bytes.HasSuffix(text, []byte(`\`)) {
		line, col := lineCol(data, len(text)-1)
		return diag.New(diag.HeaderSyntax, file, line, col, "header",
			"the last line ends in a backslash, and the line after it is missing", "install it again, or remove the backslash")
	}
	return checkDepth(file, data)
}

// checkDepth refuses brackets nested beyond what the C parser can follow. It does not look into comments or strings,
// which only makes it a little stricter.
func checkDepth(file string, data []byte) error {
	depth := 0
	for i, c := range data {
		switch c {
		case '(', '[', '{':
			depth++
			if depth > maxDepth {
				line, col := lineCol(data, i)
				return diag.New(diag.HeaderSyntax, file, line, col, "header", fmt.Sprintf("brackets are nested more than %d deep", maxDepth),
					"name a C header")
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}

func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return 0
}

// lineCol counts both from 1, the column in bytes.
func lineCol(data []byte, at int) (line, col int) {
	before := data[:at]
	return 1 + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n')
}

var (
	placed     = regexp.MustCompile(`^([^:\s][^:]*):(\d+):(\d+):?\s*(.*)$`)
	notFound   = regexp.MustCompile(`include file not found: [<"](.*)[>"]`)
	redundancy = regexp.MustCompile(`\s*\([^()]*\.go:\d+:[^()]*\)`)
)

// explain turns the errors of the C parser into ours. Files of an include that are missing or no text are told alone:
// whatever else the parser says follows from them.
func (p *parser) explain(err error, arch string, in *includes) diag.List {
	if list := refusedFiles(in); len(list) > 0 {
		return list
	}
	lines := strings.Split(err.Error(), "\n")
	for _, line := range lines {
		if notFound.MatchString(line) {
			return p.missingIncludes(arch, line, in)
		}
	}
	var list, vague diag.List
	for _, line := range lines {
		line = strings.TrimSpace(redundancy.ReplaceAllString(line, ""))
		switch {
		case line == "":
		case strings.Contains(line, "expansion limit exceeded"):
			return diag.List{p.endless(in, p.syntax(in, line))}
		case strings.Contains(line, "TODO"): // the parser's own loose ends, beside a better message
			vague.Add(p.syntax(in, line))
		default:
			list.Add(p.syntax(in, line))
		}
	}
	if len(list) == 0 {
		return vague
	}
	for _, d := range list {
		if cutRE.MatchString(d.Problem) { // the preprocessor's, and so the cause of others
			return diag.List{d}
		}
	}
	if endRE.MatchString(list[0].Problem) {
		return list[:1]
	}
	if strings.Contains(list[0].Problem, "unexpected") || list[0].Problem == earlyAttributes {
		return list[:1] // what follows a syntax error is mostly caused by it
	}
	return list
}

func refusedFiles(in *includes) diag.List {
	var list diag.List
	for _, name := range sortedKeys(in.refused) {
		list.AddErr(in.refused[name])
	}
	return list
}

// syntax places one message of the C parser, and names what stands there.
func (p *parser) syntax(in *includes, line string) diag.Diag {
	d := diag.New(diag.HeaderSyntax, p.opts.Header, 0, 0, "header", line, "the header must be C that a compiler accepts")
	m := placed.FindStringSubmatch(line)
	if m == nil {
		return d
	}
	if m[1] == endName {
		text := bytes.TrimRight(in.text[p.name], "\n")
		d.Line, d.Col = lineCol(text, len(text))
		d.Problem, d.Fix = "the file ends inside a declaration", endFix
		return d
	}
	d.File, d.Problem = in.place(m[1]), strings.TrimSpace(m[4])
	d.Line, _ = strconv.Atoi(m[2])
	d.Col, _ = strconv.Atoi(m[3])
	before, at := around(in.text[m[1]], d.Line, d.Col)
	if at != "" {
		d.Subject = at
	}
	switch {
	case endRE.MatchString(d.Problem):
		d.Fix = endFix
	case strings.HasSuffix(d.Problem, "expected enum specifier"):
		d.Problem, d.Fix = earlyAttributes, "in a copy of the header, put them behind the closing brace"
	case strings.HasPrefix(d.Problem, "unexpected identifier") && before != "":
		d.Fix = "if " + before + " is meant as a type, define it or include the header that does"
	}
	return d
}

const earlyAttributes = "attributes stand before the tag of the enum, which the C parser does not read"

const endFix = "the file ends too early: install it again"

var (
	cutRE  = regexp.MustCompile(`expected #endif|not terminated`)
	endRE  = regexp.MustCompile(`EOF|expected #endif|not terminated|ends inside`)
	wordAt = regexp.MustCompile(`^[A-Za-z_]\w*`)
	wordTo = regexp.MustCompile(`([A-Za-z_]\w*)\s+$`)
)

// around returns the word at a place of a text and the word before it. Either may be empty.
func around(text []byte, line, col int) (before, at string) {
	for ; line > 1; line-- {
		_, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok {
			return "", ""
		}
		text = rest
	}
	row, _, _ := bytes.Cut(text, []byte("\n"))
	if col < 1 || col > len(row) {
		return "", ""
	}
	at = string(wordAt.Find(row[col-1:]))
	if m := wordTo.FindSubmatch(row[:col-1]); m != nil {
		before = string(m[1])
	}
	return before, at
}

// maxMissing bounds how many missing includes are told at once.
const maxMissing = 20

// missingIncludes finds every include that is missing. The parser stops at the first, so the preprocessor runs again with
// that one taken for empty, until it is content. first is what the parser said, and in what it had opened by then.
func (p *parser) missingIncludes(arch, first string, in *includes) diag.List {
	empty := map[string]bool{}
	var list diag.List
	for line := first; line != "" && len(list) < maxMissing; {
		d := p.syntax(in, line)
		want := notFound.FindStringSubmatch(line)[1]
		plain, _ := resumed(want)
		list.Add(missingInclude(d.File, d.Line, d.Col, plain))
		for _, name := range []string{want, path.Join(path.Dir(positionFile(line)), want)} {
			empty[path.Clean(name)] = true
		}
		in = newIncludes(p.opts, p.name)
		in.empty = empty
		line = p.nextMissing(arch, in)
	}
	return list
}

// nextMissing preprocesses with the empty files of in, and gives the message about the first include that is not found.
func (p *parser) nextMissing(arch string, in *includes) (message string) {
	defer func() {
		if recover() != nil {
			message = ""
		}
	}()
	cfg, sources, err := p.config(arch, in)
	if err != nil {
		return ""
	}
	if err = cc.Preprocess(cfg, sources, io.Discard); err == nil {
		return ""
	}
	for line := range strings.Lines(err.Error()) {
		if notFound.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// positionFile is the file that a message of the C parser stands in, as included.
func positionFile(line string) string {
	if m := placed.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func missingInclude(file string, line, col int, want string) diag.Diag {
	return diag.New(diag.HeaderInclude, file, line, col, cmp.Or(want, "#include"), "the included header is not found",
		"name its folder with -I")
}

// firstFrame is the function of the C parser that panicked, to tell two such errors apart.
func firstFrame(stack []byte) string {
	for line := range strings.Lines(string(stack)) {
		if name, ok := strings.CutPrefix(line, "modernc.org/cc/v4."); ok {
			name, _, _ = strings.Cut(name, "({")
			name, _, _ = strings.Cut(strings.TrimSpace(name), "(0x")
			return name
		}
	}
	return "unknown place"
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
