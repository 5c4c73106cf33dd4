package validate

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

// TransitionText describes a change of state that BadTransition reported, with the bits that the mask lacks and those
// that it must not have. state returns the name of a state; names are those of the bits of the mask.
func TransitionText(table []Transition, mask, from, to uint64, state func(uint64) string, names []Flag) string {
	text := FlagText(mask, names) + ", " + state(from) + " to " + state(to)
	for _, t := range table {
		if t.From != from || t.To != to {
			continue
		}
		and := ""
		if lacks := t.Need &^ mask; lacks != 0 {
			text, and = text+" without "+FlagText(lacks, names), " and"
		}
		if more := mask &^ (t.Need | t.May); more != 0 {
			text += and + " with " + FlagText(more, names)
		}
		return text
	}
	return text + ", which is no transition"
}
