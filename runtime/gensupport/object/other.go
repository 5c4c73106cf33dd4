package object

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// OtherDevice returns the error of a call of verb that is given objects of two devices: what is the C name of the place of other,
// which belongs to otherDev; self, which the call is made on, belongs to selfDev, and may be it. The kernel would look for the
// handle of one device among those of the other.
func OtherDevice(verb, what string, other, otherDev, self, selfDev *Node) error {
	theirs, ours := otherDev.name(), selfDev.name()
	if theirs == ours {
		theirs, ours = "one opening of device "+theirs, "another"
	} else {
		theirs = "device " + theirs
	}
	msg := what + ": " + other.String() + " belongs to " + theirs
	if self == selfDev {
		msg += ", and the call is made on " + ours
	} else {
		msg += ", and " + self.String() + " to " + ours
	}
	return fail.Invalid(verb, msg+"; use objects of one device")
}

// OtherLibrary returns the error of a handle of another library than that of the call; what is the C name of its place.
func OtherLibrary(verb, what string, node *Node) error {
	return fail.Invalid(verb, what+": "+node.String()+" belongs to another loaded library than the call; use objects of one")
}

// name is the label of a device; one that was imported has none.
func (n *Node) name() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.label == "" {
		return "(imported)"
	}
	return n.label
}
