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

// MortalQP makes a queue pair of the provider, MortalCQ a completion queue.
func (p *Provider) MortalQP() *Queue { return newQueue(unsafe.Pointer(C.dp_mortal_qp(p.c))) }
func (p *Provider) MortalCQ() *Queue { return newQueue(unsafe.Pointer(C.dp_mortal_cq(p.c))) }

func newQueue(c unsafe.Pointer) *Queue {
	if c == nil {
		panic("no memory for a queue")
	}
	q := &Queue{c: c}
	q.Open(c)
	return q
}
