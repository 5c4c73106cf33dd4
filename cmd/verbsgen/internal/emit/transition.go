package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// ways writes the table of a rule about transitions.
func (e *emitter) ways(g *goFile, r *model.Rule) {
	if len(r.Ways) == 0 {
		return
	}
	var rows strings.Builder
	for _, w := range r.Ways {
		fmt.Fprintf(&rows, "{From: %d, To: %d, Need: 0x%x, May: 0x%x},\n", w.From, w.To, w.Need, w.May)
	}
	g.add("%s", fmt.Sprintf("// %[1]s are the transitions of %[2]s.\nvar %[1]s = []validate.Transition{\n%[3]s}", waysVar(r), r.ID, rows.String()))
}

func waysVar(r *model.Rule) string { return "ways" + strings.TrimPrefix(ruleConst(r), "rule") }

// wayArgs are the table of a rule, the mask, and the states that the call leads from and to.
func wayArgs(r *model.Rule) string {
	from := expr(*r.State)
	if r.Assumed != nil {
		from = given(r, r.Assumed, from)
	}
	return strings.Join([]string{waysVar(r), bitsOf(*r.Subject), from, given(r, r.Next, from)}, ", ")
}

// given is the value of a field when its bit in the mask is set, else another one.
func given(r *model.Rule, field *model.Operand, other string) string {
	return fmt.Sprintf("validate.Either(%s&0x%x != 0, %s, %s)", bitsOf(*r.Subject), field.Bit, expr(*field), other)
}

// astrayText is what a violation shows of a transition: the Go names of the fields stand for the bits of the mask.
func astrayText(r *model.Rule) string {
	state := "func(v uint64) string { return strconv.FormatUint(v, 10) }"
	if r.Next.Field != nil && r.Next.Field.Enum != nil {
		state = fmt.Sprintf("func(v uint64) string { return %s(v).String() }", r.Next.Field.Enum.Go)
	}
	return fmt.Sprintf(", Value: validate.TransitionText(%s, %s, %s)", wayArgs(r), state, maskNames(r.Subject.Param.Record))
}

// maskNames are the bits of a mask with the Go names of the fields that they say are given.
func maskNames(rec *model.Record) string {
	var names []string
	for _, f := range rec.Fields {
		if f.Bit != nil {
			names = append(names, fmt.Sprintf("{Bits: 0x%x, Name: %q}", uint64(f.BitValue), f.Go))
		}
	}
	return "[]validate.Flag{" + strings.Join(names, ", ") + "}"
}
