package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// pathOf writes the data of a path: letters and numbers.
func pathOf(parts ...any) string {
	var b strings.Builder
	for i, x := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, x)
	}
	return b.String()
}

// places has where the boxes of states are.
var places = map[string][2]int{
	"RESET": {20, 50}, "INIT": {190, 50}, "RTR": {360, 50}, "RTS": {530, 50}, "SQD": {700, 50}, "SQE": {530, 140},
}

const stateWidth, stateHeight = 90, 36

// ruleOf returns the rule on the transitions of a type of queue pairs.
func ruleOf(pages *spec.Spec, kind string) (*spec.Rule, error) {
	for _, r := range pages.RulesOf("ibv_modify_qp") {
		ofKind := slices.ContainsFunc(r.When, func(a spec.Atom) bool { return a.Of == "qp.qp_type" && a.Eq == kind })
		if len(r.Transitions) > 0 && ofKind {
			return r, nil
		}
	}
	return nil, fmt.Errorf("no rule has the transitions of %s", kind)
}

// drawStates draws the transitions that programs may ask for on a queue pair of type RC, and what each needs besides the state. Those
// from all states are a sentence.
func drawStates(pages *spec.Spec) (string, error) {
	rule, err := ruleOf(pages, "IBV_QPT_RC")
	if err != nil {
		return "", err
	}
	const width, notes, line = 810, 215, 20
	p, y := &picture{}, notes
	var ends []string
	for _, t := range rule.Transitions {
		from, to := strings.TrimPrefix(t.From[0], "IBV_QPS_"), strings.TrimPrefix(t.To[0], "IBV_QPS_")
		switch {
		case len(t.From) > 1:
			ends = append(ends, to)
			continue
		case from == to:
			continue
		}
		if err := arrow(p, from, to); err != nil {
			return "", err
		}
		var need []string
		for _, name := range t.Need {
			if name != "IBV_QP_STATE" {
				need = append(need, strings.TrimPrefix(name, "IBV_QP_"))
			}
		}
		if len(need) > 0 {
			p.text(20, y, from+" to "+to+" needs "+strings.Join(need, ", "))
			y += line
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p.box(places[name][0], places[name][1], stateWidth, stateHeight, name, "#ddf4ff")
	}
	p.text(20, 24, "From every state but RESET, a program may also change to "+strings.Join(ends, " and to ")+".")
	whole := newPicture(width, y, "The states of a queue pair of type RC, and the attributes that a transition needs")
	whole.WriteString(p.String())
	return whole.end(), nil
}

// arrow connects two states: beside each other, or above each other.
func arrow(p *picture, from, to string) error {
	a, known := places[from]
	b, also := places[to]
	if !known || !also {
		return fmt.Errorf("there is no place for the transition from %s to %s", from, to)
	}
	const tip = ` marker-end="url(#tip)"`
	switch {
	case a[0] < b[0]:
		p.line(pathOf("M", a[0]+stateWidth, a[1]+12, "H", b[0]-2), tip)
	case a[0] > b[0]:
		p.line(pathOf("M", a[0], a[1]+24, "H", b[0]+stateWidth+2), tip)
	default:
		p.line(pathOf("M", a[0]+stateWidth/2, a[1], "V", b[1]+stateHeight+2), tip)
	}
	return nil
}
