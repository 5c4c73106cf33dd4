//go:build linux && cgo

package careless

import (
	"errors"
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// mistake is a program that makes one, with a connection unless it is of another kind.
type mistake struct {
	name string
	over kind
	// make makes it. The error is what the library says of it.
	make func(w *world) error
	says []string // of what the error says
}

// run prints the error.
func (m mistake) run(folder string) error {
	lib, err := load(folder, m.over)
	if err != nil {
		return err
	}
	w, err := newWorld(lib, m.over)
	if err != nil {
		return err
	}
	said := m.caught(w)
	if said == nil {
		return errors.New("the mistake is no error")
	}
	fmt.Println(said)
	return w.end()
}

// caught is what make returns. A panic with a sentence is an error as well, also one of a slice whose index is out of range.
func (m mistake) caught(w *world) (err error) {
	defer func() {
		if p, ok := recover().(error); ok {
			err = p
			if !strings.Contains(p.Error(), "index out of range") {
				panic(p)
			}
		}
	}()
	defer sentence(&err)
	return m.make(w)
}

// completion posts the first request of a batch, and returns the error of its completion.
func (w *world) completion(b *verbs.SendBatch) error {
	b.WR(0).Flags(verbs.SendSignaled)
	return w.a.Send(b, 1)
}

// write makes a batch of one RDMA WRITE of 8 bytes.
func (w *world) write(local uint64, lkey uint32, remote uint64, rkey uint32) *verbs.SendBatch {
	b := w.sends(1)
	b.WR(0).Write(1, remote, rkey).SGE(local, 8, lkey)
	return b
}

// sends makes a batch of n requests.
func (w *world) sends(n int) *verbs.SendBatch {
	b, err := verbs.NewSendBatch(n, 1)
	if err != nil {
		panic(err)
	}
	w.batches = append(w.batches, b)
	return b
}

// closed closes an object.
func closed(c interface{ Close() error }) {
	if err := c.Close(); err != nil {
		panic(err)
	}
}
