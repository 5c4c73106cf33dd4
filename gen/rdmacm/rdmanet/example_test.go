//go:build linux && cgo

package rdmanet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/rdmacm/rdmanet"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// A server sends back what a client writes. On cards, replace verbs.LoadFrom and rdmacm.LoadFrom with verbs.Load and rdmacm.Load, and the
// address with that of a card.
func Example() {
	soft := softverbs.New()
	v, err := verbs.LoadFrom(soft)
	must(err)
	cm := softcm.New(soft)
	lib, err := rdmacm.LoadFrom(v, cm)
	must(err)
	n, err := conn.New(lib)
	must(err)

	l, err := rdmanet.Listen(n, "10.0.0.1:7471", rdmanet.Options{})
	must(err)
	go func() {
		c, err := l.Accept()
		must(err)
		_, err = io.Copy(c, c) // up to the end of what the client writes
		must(errors.Join(err, c.Close()))
	}()

	c, err := rdmanet.Dial(context.Background(), n, "10.0.0.1:7471", rdmanet.Options{})
	must(err)
	_, err = io.WriteString(c, "hello")
	must(errors.Join(err, c.CloseWrite()))
	answer, err := io.ReadAll(c)
	must(err)
	fmt.Printf("%s\n", answer)
	must(errors.Join(c.Close(), l.Close(), n.Close(), cm.Close(), soft.Close()))
	// Output: hello
}
