package object

import (
	"errors"
	"syscall"
)

// attachment is what Attach put below an object.
type attachment struct {
	h  Handle
	to *Handle
}

// Close detaches, for a CloseAll of the object.
func (a *attachment) Close() error {
	a.to.attaching.Lock()
	defer a.to.attaching.Unlock()
	return a.h.Close()
}

// Attach attaches the object to what label names, by call, and has its Close fail until a Detach with the same label. CloseAll detaches
// by the C function verb, which detach calls. Attaching twice to the same counts once. The caller has entered h.
func (h *Handle) Attach(label, verb string, call, detach func() error) error {
	h.attaching.Lock()
	defer h.attaching.Unlock()
	if err := call(); err != nil || h.attachment(label) != nil {
		return err
	}
	a := &attachment{to: h}
	a.h.Make(a, "attachment", Origin{}, h.C, verb, func() error { return unlessDetached(detach()) })
	a.h.label = label
	return a.h.Adopt(&h.Node)
}

// Detach detaches, by call, the object from what label names. The caller has entered h.
func (h *Handle) Detach(label string, call func() error) error {
	h.attaching.Lock()
	defer h.attaching.Unlock()
	err := call()
	if a := h.attachment(label); a != nil && unlessDetached(err) == nil {
		return errors.Join(err, a.h.CloseBy(a.h.verb, func() error { return nil }, false))
	}
	return err
}

// unlessDetached leaves out the error of a kernel that knows of no such attachment: C code may have detached, and the kernel forgets an
// attachment also where the device fails to end it.
func unlessDetached(err error) error {
	if errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// attachment finds that of a label, or nil.
func (h *Handle) attachment(label string) *attachment {
	for _, c := range h.Children() {
		if a, ok := c.(*attachment); ok && a.h.Label() == label {
			return a
		}
	}
	return nil
}

// Below puts the object below another one, which cannot be closed before it from then on, by call. The caller has entered both.
func (h *Handle) Below(verb string, parent *Node, call func() error) error {
	h.attaching.Lock()
	defer h.attaching.Unlock()
	return Move(verb, &h.Node, nil, parent, call)
}
