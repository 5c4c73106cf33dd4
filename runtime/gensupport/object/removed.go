package object

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Probe says how to find out whether the device behind n was removed: by a query that changes nothing. It is called before n is open.
func (n *Node) Probe(query func() syscall.Errno) { n.probe = query }

// Removed returns err, the error of a call that used n, with verr.ErrDeviceRemoved in it if the device that n was made on was removed.
func (n *Node) Removed(err error) error {
	if e, ok := err.(*verr.Error); !ok || e.Errno != syscall.EIO {
		return err
	}
	if query := inTree(n.query); query != nil {
		return fail.Removed(err, query)
	}
	return err
}

// Lost reports whether n could not be destroyed because its device was removed: then nothing is left to destroy. The library may count
// objects below n that it could not destroy either, and answer EBUSY.
func (n *Node) Lost(errno syscall.Errno) bool {
	if errno != syscall.EIO && errno != syscall.EBUSY {
		return false
	}
	query := inTree(n.query)
	return query != nil && fail.Gone(syscall.EIO, query)
}

// query is what Probe said of n, or of what it was made from. That stays open while n is, so it may be called without entering it.
// Called with tree held.
func (n *Node) query() func() syscall.Errno {
	if n.probe != nil {
		return n.probe
	}
	for _, p := range n.parents {
		if query := p.query(); query != nil {
			return query
		}
	}
	return nil
}
