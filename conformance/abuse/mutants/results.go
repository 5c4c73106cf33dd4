package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// results are kept in a file, one a line; a later line of the same mutant counts.
type results struct {
	file *os.File
	list []result
}

func openResults(at string) (*results, error) {
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return nil, err
	}
	r := &results{}
	old, err := os.Open(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		defer old.Close()
		if err := r.load(old); err != nil {
			return nil, err
		}
	}
	r.file, err = os.OpenFile(at, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return r, err
}

func (r *results) load(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var res result
		if err := json.Unmarshal(lines.Bytes(), &res); err != nil {
			return err
		}
		r.put(res)
	}
	return lines.Err()
}

func (r *results) put(res result) {
	r.list = slices.DeleteFunc(r.list, func(o result) bool { return o.ID == res.ID })
	r.list = append(r.list, res)
}

func (r *results) add(res result) error {
	r.put(res)
	data, err := json.Marshal(res)
	if err != nil {
		return err
	}
	_, err = r.file.Write(append(data, '\n'))
	return err
}

func (r *results) all() []result { return r.list }

// of is the result of a mutant whose file has not changed since.
func (r *results) of(m mutant) (result, bool) {
	i := slices.IndexFunc(r.list, func(o result) bool { return o.ID == m.id() && o.Sum == m.sum })
	if i < 0 {
		return result{}, false
	}
	return r.list[i], true
}

// keepOnly forgets what is no mutant of the area any more.
func (r *results) keepOnly(area string, found []mutant) {
	now := map[string]uint64{}
	for _, m := range found {
		now[m.id()] = m.sum
	}
	r.list = slices.DeleteFunc(r.list, func(o result) bool {
		sum, is := now[o.ID]
		return o.Area == area && (!is || sum != o.Sum)
	})
}

func (r *results) close() { _ = r.file.Close() }
