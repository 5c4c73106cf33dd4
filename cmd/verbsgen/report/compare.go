package report

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is a case, or one answer in it, that two devices do not have in common.
type Difference struct {
	Case string
	What string // "verdict", or what was asked
	A, B string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: %s there, %s here", d.Case, d.What, d.A, d.B)
}

// Compare returns the differences between the verdicts and answers of two devices, in the order of a. Not compared are cases that
// only b has, cases that one of them skipped for a reason of its machine, and the answers, though not the verdicts, of those
// that ran on an overlay. Where able is set, b is a device that can do more: then cases that a lacks something for, and its
// answers that say so (EOPNOTSUPP), are not compared either.
func Compare(a, b *Report, able bool) []Difference {
	var out []Difference
	other := map[string]*Case{}
	for i := range b.Cases {
		other[b.Cases[i].ID] = &b.Cases[i]
	}
	for i := range a.Cases {
		x := &a.Cases[i]
		y := other[x.ID]
		if y == nil {
			out = append(out, Difference{x.ID, "verdict", x.verdict(), "no such case"})
			continue
		}
		if x.ofMachine() || y.ofMachine() || able && x.Status == Skip || !able && x.Mode == ModeOverlay {
			continue
		}
		if x.verdict() != y.verdict() {
			out = append(out, Difference{x.ID, "verdict", x.verdict(), y.verdict()})
		} else if x.Mode != ModeOverlay {
			out = append(out, x.answers(y, able)...)
		}
	}
	return out
}

// ofMachine reports whether a case was skipped for what the machine lacks.
func (c *Case) ofMachine() bool { return c.Status == Skip && len(c.Lacks) == 0 }

// verdict is the status, with what a skipped case lacks.
func (c *Case) verdict() string {
	if len(c.Lacks) == 0 {
		return string(c.Status)
	}
	lacks := slices.Sorted(slices.Values(c.Lacks))
	return string(c.Status) + ", lacks " + strings.Join(lacks, ", ")
}

// answers compares what two devices answered, one answer after the other.
func (c *Case) answers(d *Case, able bool) []Difference {
	var out []Difference
	at := func(list []Observation, i int) Observation {
		if i < len(list) {
			return list[i]
		}
		return Observation{"the end", "nothing"}
	}
	for i, j := 0, 0; i < len(c.Observed) || j < len(d.Observed); {
		x, y := at(c.Observed, i), at(d.Observed, j)
		switch {
		case able && x.Answer == "EOPNOTSUPP":
			i++
			if x.What == y.What {
				j++
			}
			continue
		case x.What == y.What && x.Answer != y.Answer:
			out = append(out, Difference{c.ID, x.What, x.Answer, y.Answer})
		case x.What != y.What: // what follows is about something else
			return append(out, Difference{c.ID, x.What, x.Answer, y.Answer + ", to " + y.What})
		}
		i, j = i+1, j+1
	}
	return out
}
