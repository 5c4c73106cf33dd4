//go:build linux && cgo

package dptest

/*
#include "provider.h"
*/
import "C"

import (
	"errors"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Queue is a queue that can be destroyed, as a handle has it: its gate and its end.
type Queue struct {
	gate.Gate
	c unsafe.Pointer
}

// Close destroys the queue: from then on an access to it is a fault.
func (q *Queue) Close() error { return q.End("close", "queue", time.Minute, q.Destroy) }

// Destroy does so without the gate.
func (q *Queue) Destroy() error {
	if C.dp_destroy(q.c) != 0 {
		return errors.New("mprotect failed")
	}
	return nil
}

// Object returns the C object, which begins with its context as an address handle does.
func (q *Queue) Object() unsafe.Pointer { return q.c }

// Mortal makes a queue pair or a completion queue of the provider.
func (p *Provider) Mortal() *Queue {
	q := &Queue{c: C.dp_mortal(p.c)}
	if q.c == nil {
		panic("no memory for a queue")
	}
	q.Open(q.c)
	return q
}
