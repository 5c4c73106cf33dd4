package cheader

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

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
}

func newIncludes(opts Options, name string) *includes {
	return &includes{
		header: opts.Header, name: path.Clean(name), roots: opts.Include, dir: filepath.Dir(opts.Header), virtual: path.Dir(name),
		real: map[string]string{}, stubs: map[string]bool{}, text: map[string][]byte{},
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

// asksMachine reports whether a file that was read may declare something else for each machine.
func (in *includes) asksMachine() bool {
	for _, data := range in.text {
		if machine.Match(data) {
			return true
		}
	}
	return false
}

// Open is called by the parser, with the name as included.
func (in *includes) Open(name string) (fs.File, error) {
	name = path.Clean(name)
	if f, err := stubFiles.Open("stubs/" + name); err == nil {
		in.stubs[name] = true
		return f, nil
	}
	for _, file := range in.candidates(name) {
		data, err := regular.Read(file, maxSize)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) {
			continue // the next folder may have it
		}
		in.real[name] = file
		if err == nil {
			err = checkText(file, data)
		} else {
			err = unreadable(file, err)
		}
		if err != nil {
			in.refused[name] = err
			return nil, err
		}
		if limit, ok := in.limits[name]; ok {
			data = limit.of(data)
		}
		in.text[name] = data
		return memFile(name, data), nil
	}
	if in.empty[name] {
		return memFile(name, nil), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
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
	return list
}

// folders are those in which included files were found, for a compiler.
func (in *includes) folders() []string {
	list := slices.Clone(in.roots)
	for _, name := range sortedKeys(in.real) {
		root, ok := strings.CutSuffix(filepath.ToSlash(in.real[name]), name)
		if name = path.Clean(name); ok && name != in.name && root != "" && !slices.Contains(list, root) {
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

// textFile is a file in memory, and its own description.
type textFile struct {
	*strings.Reader
	name string
}

func memFile(name string, data []byte) fs.File {
	return &textFile{strings.NewReader(string(data)), path.Base(name)}
}

func (f *textFile) Close() error               { return nil }
func (f *textFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *textFile) Name() string               { return f.name }
func (f *textFile) Mode() fs.FileMode          { return 0o444 }
func (f *textFile) ModTime() time.Time         { return time.Time{} }
func (f *textFile) IsDir() bool                { return false }
func (f *textFile) Sys() any                   { return nil }
