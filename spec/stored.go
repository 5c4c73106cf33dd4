package spec

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/spec/pack"
	"github.com/verbsgen/verbsgen/spec/role"
)

//go:generate go test . -run TestStoredPages -update

// storedPages has what Stored returns for each module, in the form of package pack: a hash of what it was made from, the strings, and each
// module with its name and size. Reading the pages took a third of the time of generate. TestStoredPages writes it with -update, and fails
// while it is out of date.
//
//go:embed stored.bin
var storedPages string

// storedSpec is what is stored of a Spec. Its indexes are made again.
type storedSpec struct {
	Module   *Module
	Pages    []*Page
	Pending  []Pending
	Every    []*every
	Expanded int
}

// layered says what a Spec was made from: the stored pages of a module, and the folders over them.
type layered struct {
	module string
	dirs   []string
}

// storedForm reads and writes them.
var storedForm = sync.OnceValue(func() *pack.Codec {
	return pack.New(
		pack.Named{Type: reflect.TypeFor[*role.Role](), Name: func(p any) string { return p.(*role.Role).Name },
			Find: func(name string) any { return role.Find(name) }},
		unnamed(reflect.TypeFor[*Spec]()), // the modules that one uses are stored beside it
		unnamed(reflect.TypeFor[*[]mark]()))
})

// unnamed leaves out what is behind pointers of a type.
func unnamed(pointer reflect.Type) pack.Named {
	return pack.Named{Type: pointer, Name: func(any) string { return "" }}
}

// storedFrom is a hash of all that is stored: the pages, and the types that they are read into.
func storedFrom() (sum [sha256.Size]byte, err error) {
	h, buf := sha256.New(), make([]byte, 32<<10)
	io.WriteString(h, storedForm().Describe(storedSpec{}))
	err = fs.WalkDir(pages, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := pages.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		io.WriteString(h, "\x00"+name+"\x00")
		_, err = io.CopyBuffer(h, f, buf)
		return err
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// storedParts finds what is stored of a module. It finds nothing where pages were changed since.
var storedParts = sync.OnceValues(func() (pack.Table, map[string]string) {
	from, err := storedFrom()
	if err != nil || len(storedPages) < len(from) || storedPages[:len(from)] != string(from[:]) {
		return nil, nil
	}
	table, rest, err := pack.ReadTable(storedPages[len(from):])
	if err != nil {
		return nil, nil
	}
	parts := map[string]string{}
	for {
		var name, body string
		if name, rest = cutSized(rest); name == "" {
			return table, parts
		}
		body, rest = cutSized(rest)
		parts[name] = body
	}
})

// cutSized splits a text with its length before it from what follows.
func cutSized(text string) (part, rest string) {
	n, used := binary.Uvarint([]byte(text[:min(len(text), binary.MaxVarintLen64)]))
	if used <= 0 || n > uint64(len(text)-used) {
		return "", ""
	}
	return text[used:][:n], text[used:][n:]
}

// Stored returns what OverlayModule returns, many times faster, as it reads no YAML but that of the folders. It lacks the places of single
// keys of the own pages: an error of a later phase has the place of the whole entry, see TellsOwn.
func Stored(module string, dirs ...string) (*Spec, error) {
	sources, at, errs := overlays(module, dirs)
	s := readStored(cmp.Or(module, DefaultModule))
	if s == nil || at != "." {
		return OverlayModule(module, dirs...)
	}
	s.stored = &layered{module, dirs}
	if len(dirs) == 0 {
		s.index()
		return s, nil
	}
	files := parse(sources)
	if s.replacedBy(files) {
		return OverlayModule(module, dirs...)
	}
	if s, errs = load(s, files, errs, at, nil); errs.needOwn() {
		return OverlayModule(module, dirs...)
	}
	return loaded(s, errs)
}

// readStored reads what is stored of a module, without indexes; nil where nothing is.
func readStored(module string) *Spec {
	table, parts := storedParts()
	var from storedSpec
	if text := parts[module]; text == "" || storedForm().Read(table, text, &from) != nil {
		return nil
	}
	for i := range from.Module.Uses {
		u := &from.Module.Uses[i]
		var err error
		if u.Spec, err = Stored(u.Name); err != nil {
			return nil
		}
	}
	return &Spec{Module: from.Module, Pages: from.Pages, Pending: from.Pending, every: from.Every, expanded: from.Expanded}
}

// replacedBy reports whether one of the files replaces a page. Then the second file of that page is left out too, and so are its entries in
// rules of other pages. Pages that are joined do not tell which entries these are.
func (s *Spec) replacedBy(files []*file) bool {
	return slices.ContainsFunc(files, func(f *file) bool {
		return f.isPage() && slices.ContainsFunc(s.Pages, func(p *Page) bool { return p.Page == pageName(f.name) })
	})
}

// needOwn reports whether the errors of pages that lie over stored ones may change when the YAML of the own pages is read too: those that
// name a line there, and those about a page or a shared rule that is extended.
func (es Errors) needOwn() bool {
	return TellsOwn(es) || slices.ContainsFunc(es, func(e Error) bool { return e.Code == CodeExtends || e.Code == CodeSharedRule })
}

// TellsOwn reports whether an error tells a place in the project's own pages. If they are Stored, OverlayModule has the line of the key.
func TellsOwn(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return slices.ContainsFunc(Modules(), func(name string) bool { return strings.Contains(text, "spec/"+name+"/") })
}
