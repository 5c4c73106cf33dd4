package spec

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"io"
	"io/fs"
	"reflect"
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
	Module  *Module
	Pages   []*Page
	Pending []Pending
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

// Stored returns what EmbeddedModule returns, many times faster, but without the places of single keys: an error has the place of the
// whole entry. Without a name it is the default module.
func Stored(module string) (*Spec, error) {
	if module == "" {
		module = DefaultModule
	}
	table, parts := storedParts()
	var from storedSpec
	if text := parts[module]; text == "" || storedForm().Read(table, text, &from) != nil {
		return EmbeddedModule(module)
	}
	s := &Spec{Module: from.Module, Pages: from.Pages, Pending: from.Pending}
	for i := range s.Module.Uses {
		u := &s.Module.Uses[i]
		var err error
		if u.Spec, err = Stored(u.Name); err != nil {
			return nil, err
		}
	}
	s.index()
	return s, nil
}
