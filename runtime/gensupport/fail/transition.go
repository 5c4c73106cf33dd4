package fail

// Transition is a change from one state to another. Need are the bits that the mask must have, May those that it may
// also have.
type Transition struct{ From, To, Need, May uint64 }

// BadTransition reports whether table forbids a change of state with this mask: the change is listed and the mask does not
// fit it, or the change is not listed although others from the same state are. A start state that is not listed is not
// checked.
func BadTransition(table []Transition, mask, from, to uint64) bool {
	listed := false
	for _, t := range table {
		if t.From == from && t.To == to {
			return mask&t.Need != t.Need || mask&^(t.Need|t.May) != 0
		}
		listed = listed || t.From == from
	}
	return listed
}

// TransitionText describes a change of state that BadTransition reported: the mask, and what ChangeText says. state returns the name of
// a state; names are those of the bits of the mask.
func TransitionText(table []Transition, mask, from, to uint64, state func(uint64) string, names []Flag) string {
	bits := func(some uint64) string { return FlagText(some, names) }
	return bits(mask) + ", " + ChangeText(table, mask, from, to, state, bits)
}

// ChangeText describes a change of state that BadTransition reported, with the bits that the mask lacks and those that it must not have.
// state returns the name of a state, and bits those of some bits.
func ChangeText(table []Transition, mask, from, to uint64, state, bits func(uint64) string) string {
	text := state(from) + " to " + state(to)
	for _, t := range table {
		if t.From != from || t.To != to {
			continue
		}
		and := ""
		if lacks := t.Need &^ mask; lacks != 0 {
			text, and = text+" without "+bits(lacks), " and"
		}
		if more := mask &^ (t.Need | t.May); more != 0 {
			text += and + " with " + bits(more)
		}
		return text
	}
	return text + ", which is no transition"
}
