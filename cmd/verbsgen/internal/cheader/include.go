package cheader

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/spec/regular"
)

//go:embed stubs
var stubFiles embed.FS

// includes finds included files. The parser sees each file under its name as included ("infiniband/verbs_api.h"), so
// that positions do not depend on the machine; real tells where it was read.
//
// The order is: our stubs (a libc's headers hold constructs that would change what is read off the bodies), the folders
// of -I, and the tree that the header itself stands in.
type includes struct {
	header  string // the file, whatever else of its name there is
	name    string // its name as included
	roots   []string
	dir     string // folder of the header
	virtual string // folder of the header's name as included ("infiniband")
	real    map[string]string
	stubs   map[string]bool
	text    map[string][]byte
	refused map[string]error // files that exist and are no C text
	empty   map[string]bool  // not to be found, and taken for empty
	pragmas []cc.Token       // those that change layouts
	limits  map[string]cut   // where files end early
	system  *system          // of a compiler, in place of the stubs
}

func newIncludes(opts Options, name string) *includes {
	return &includes{
		header: opts.Header, name: path.Clean(name), roots: opts.Include, dir: filepath.Dir(opts.Header), virtual: path.Dir(name),
		system: opts.system, real: map[string]string{}, stubs: map[string]bool{}, text: map[string][]byte{},
		refused: map[string]error{},
	}
}

const pragmaFix = "in a copy of the header, write __attribute__((packed)) behind each record from here instead, " +
	"and aligned(N) beside it where N > 1"

// pragma is called by the parser for each #pragma.
func (in *includes) pragma(toks []cc.Token) error {
	for i := range toks {
		switch toks[i].SrcStr() {
		case "pack", "ms_struct", "scalar_storage_order", "options":
			in.pragmas = append(in.pragmas, toks[i])
			return nil
		}
	}
	return nil
}

var machine = regexp.MustCompile(`\b(__)?(x86_64|amd64|aarch64|arm64|i386)(__)?\b|\b__ARM`)

// isSystem reports whether a file came from the folders of a compiler alone, or from the kernel.
func (in *includes) isSystem(file string) bool {
	if folder, _, ok := strings.Cut(file, "/"); ok && slices.Contains([]string{"linux", "asm", "asm-generic"}, folder) {
		return true
	}
	if real, ok := in.real[file]; ok {
		file = real
	}
	return in.system != nil && slices.ContainsFunc(in.system.folders, func(dir string) bool { return below(file, dir) }) && !in.isOwn(file)
}

// isOwn reports whether a file, by its path or its name as included, belongs to the header's library: it lies in the folder of the
// header or below, unless that holds the headers of all libraries. Facts that a stub has are the library's as well.
func (in *includes) isOwn(file string) bool {
	if real, ok := in.real[file]; ok {
		if in.virtual != "." && strings.HasPrefix(file, in.virtual+"/") {
			return true
		}
		file = real
	}
	system := systemFolder(in.dir) || in.system != nil && slices.Contains(in.system.folders, in.dir)
	return file == in.header || below(file, in.dir) && !system || in.stubs[file] || strings.HasPrefix(file, "rdma/")
}

func below(file, dir string) bool {
	rest, ok := strings.CutPrefix(filepath.Clean(file), filepath.Clean(dir))
	here := filepath.Clean(dir) == "." && !filepath.IsAbs(file) && !strings.HasPrefix(file, "..")
	return here || ok && strings.HasPrefix(filepath.ToSlash(rest), "/")
}

// asksMachine reports whether a file that was read may declare something else for each machine.
func (in *includes) asksMachine() bool {
	for name, data := range in.text {
		if !in.isSystem(name) && machine.Match(data) {
			return true
		}
	}
	return false
}

// Open is called by the parser, with the name as included.
func (in *includes) Open(name string) (fs.File, error) {
	name, from := resumed(path.Clean(name))
	files := in.candidates(name)
	if in.system == nil || name == "errno.h" || name == "stddef.h" { // their macros must survive in bodies
		if f := in.stub(name); f != nil {
			return f, nil
		}
	}
	for i, file := range files[min(from, len(files)):] {
		data, err := regular.Read(file, maxSize)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) {
			continue // the next folder may have it
		}
		at := resuming(name, from)
		in.real[at] = file
		switch {
		case err != nil:
			err = unreadable(file, err)
		case file != in.header && len(bytes.TrimSpace(data)) == 0: // valid, in a header that is included
		default:
			err = checkText(file, data)
		}
		if err != nil {
			in.refused[at] = err
			return nil, err
		}
		if limit, ok := in.limits[at]; ok {
			data = limit.of(data)
		}
		in.text[at] = data
		return memFile(plain(data, from+i+1)), nil
	}
	if f := in.stub(name); f != nil {
		return f, nil
	}
	if in.empty[name] {
		return memFile(nil), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// stub is verbsgen's own file of a name, or nil.
func (in *includes) stub(name string) fs.File {
	f, err := stubFiles.Open("stubs/" + name)
	if err != nil {
		return nil
	}
	in.stubs[name] = true
	return f
}

func systemFolder(dir string) bool {
	dir = filepath.ToSlash(filepath.Clean(dir))
	return dir == "/usr/include" || dir == "/usr/local/include"
}

// resuming names what #include_next looks for in the folders from a number on.
func resuming(name string, from int) string {
	if from == 0 {
		return name
	}
	return fmt.Sprintf(".next%d/%s", from, name)
}

func resumed(name string) (plain string, from int) {
	if rest, ok := strings.CutPrefix(name, ".next"); ok {
		number, file, _ := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(number); err == nil {
			return file, n
		}
	}
	return name, 0
}

var (
	directive   = regexp.MustCompile(`^([ \t]*#[ \t]*)([A-Za-z_]\w*)`)
	includeNext = regexp.MustCompile(`include_next([ \t]*)<`)
	known       = strings.Fields("if ifdef ifndef elif else endif include include_next define undef line pragma error warning ident sccs")
)

const attribute = `__attribute(?:__)?\s*\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)\s*`

// enumAttributes are attributes, or names of macros, before the tag of an enum or in place of one.
var enumAttributes = regexp.MustCompile(`\benum\s+((?:` + attribute + `|[A-Za-z_]\w*\s+)+)[A-Za-z_]\w*\s*\{|\benum\s+((?:` + attribute + `)+)\{`)

// spaces is as long as a text, line by line.
func spaces(text []byte) []byte { return blank(text, func(b byte) bool { return b != '\n' }) }

// blank puts spaces in place of some bytes of a copy.
func blank(text []byte, out func(byte) bool) []byte {
	text = bytes.Clone(text)
	for i, b := range text {
		if out(b) {
			text[i] = ' '
		}
	}
	return text
}

// plain makes a text plain for the C parser: it stumbles over attributes before the tag of an enum and over an apostrophe in an #error
// that is skipped, looks for #include_next in the wrong folders, and passes over directives that it does not know.
func plain(data []byte, next int) []byte {
	bare := blanked(data)
	for _, m := range slices.Backward(enumAttributes.FindAllSubmatchIndex(bare, -1)) {
		from, to := max(m[2], m[4]), max(m[3], m[5])
		if n := bytes.IndexByte(bare[m[1]:], '}'); n >= 0 {
			attributes := bytes.ReplaceAll(bare[from:to], []byte("\n"), []byte(" "))
			behind := m[1] + n + 1
			data = slices.Concat(data[:from], spaces(data[from:to]), data[to:behind], attributes, data[behind:])
			bare = slices.Concat(bare[:from], spaces(bare[from:to]), bare[to:behind], attributes, bare[behind:])
		}
	}
	var out []byte
	done := 0
	at := 0
	for line := range bytes.Lines(bare) {
		m := directive.FindSubmatchIndex(line)
		if m == nil {
			at += len(line)
			continue
		}
		was := data[at : at+len(line)]
		change := was
		switch verb := string(line[m[4]:m[5]]); {
		case verb == "error" || verb == "warning":
			change = blank(was, func(b byte) bool { return b == '"' || b == '\'' })
		case verb == "include_next":
			change = includeNext.ReplaceAll(was, fmt.Appendf(nil, "include$1<.next%d/", next))
		case verb == "elifdef" || verb == "elifndef":
			not := strings.Repeat("!", len(verb)-len("elifdef"))
			change = fmt.Appendf(nil, "%selif %sdefined(%s)\n", line[:m[3]], not, bytes.TrimSpace(line[m[5]:]))
		case !slices.Contains(known, verb):
			change = fmt.Appendf(nil, "%serror unknown directive %s\n", line[:m[3]], verb)
		}
		out = append(append(out, data[done:at]...), change...)
		at += len(line)
		done = at
	}
	return append(out, data[done:]...)
}

// content reads a file by its name as included; nil for one that is not there.
func (in *includes) content(name string) []byte {
	f, err := in.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	return data
}

// candidates lists where a file included as name may be.
func (in *includes) candidates(name string) []string {
	if name == in.name {
		return []string{in.header}
	}
	if path.IsAbs(name) {
		return []string{name}
	}
	var list []string
	for _, root := range in.roots {
		list = append(list, filepath.Join(root, name))
	}
	if path.Dir(name) == in.virtual {
		list = append(list, filepath.Join(in.dir, path.Base(name)))
	}
	// The header's own tree: <infiniband/x.h> beside .../infiniband/verbs.h.
	dir := filepath.ToSlash(in.dir)
	for prefix := path.Dir(name); prefix != "."; prefix = path.Dir(prefix) {
		if root, ok := strings.CutSuffix(dir, prefix); ok && (root == "" || strings.HasSuffix(root, "/")) {
			list = append(list, filepath.Join(root, name))
		}
	}
	if in.system != nil {
		for _, dir := range in.system.folders {
			list = append(list, filepath.Join(dir, name))
		}
	}
	return list
}

// folders are those in which included files were found, for a compiler.
func (in *includes) folders() []string {
	list := slices.Clone(in.roots)
	for _, name := range sortedKeys(in.real) {
		root, ok := strings.CutSuffix(filepath.ToSlash(in.real[name]), name)
		if name = path.Clean(name); ok && name != in.name && root != "" && !in.isSystem(name) && !slices.Contains(list, root) {
			list = append(list, root)
		}
	}
	return list
}

// place is the file that stands behind a name as included; the name itself for a stub.
func (in *includes) place(name string) string {
	if file, ok := in.real[name]; ok {
		return file
	}
	return name
}

// textFile is a file in memory, of which the parser asks nothing but its text.
type textFile struct {
	fs.File // nil
	text    io.Reader
}

func memFile(data []byte) fs.File { return textFile{text: bytes.NewReader(data)} }

func (f textFile) Read(b []byte) (int, error) { return f.text.Read(b) }
func (f textFile) Close() error               { return nil }
