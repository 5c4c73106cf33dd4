package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// replay is what the template of a stream of commands reads.
type replay struct {
	*model.Stream
	Inline, InlineName     string
	Names                  string // flags of requests that name objects; empty: none does
	Builders, Setters      []command
	Element, List          command
	InlineBy, InlineListBy command
	Made                   madeList // of InlineListBy
}

// command is one call of a function of the object.
type command struct {
	Op, Args    string
	Value, Name string // of the opcode, or of the type of object
	Flag        string
	Data        bool
	Names       bool // an object, which must not go meanwhile
}

// madeList is a list that is made of one of the request.
type madeList struct {
	Type, From string // C type of an element; the list of the request
	Members    []string
}

// streamShim describes the C function of a stream of commands.
func streamShim(v *model.Verb) (shim, error) {
	s := shim{C: v.C, Result: "void ", batches: true, Gated: "a stream of commands",
		Params: "uint8_t *gate_, uintptr_t object_, uint64_t asked_, uint8_t *first_, uint8_t *answer_"}
	x := v.Stream
	r := replay{Stream: x, Inline: fmt.Sprintf("%#x", x.Inline.Value), InlineName: x.Inline.C, Element: commandOf(*x.Element),
		List: commandOf(*x.List), InlineBy: commandOf(*x.InlineBy), InlineListBy: commandOf(*x.InlineListBy)}
	for _, a := range x.InlineListBy.Args {
		if a.Copies != nil {
			r.Made = madeList{strings.Trim(strings.TrimPrefix(a.CType, "const "), " *"), a.From, a.Copies}
		}
	}
	for _, b := range x.Builders {
		c := commandOf(b.Call)
		c.Value, c.Name, c.Flag, c.Data = fmt.Sprint(b.Opcode.Value), b.Opcode.C, fmt.Sprintf("%#x", b.Flag.Value), b.Data
		r.Builders = append(r.Builders, c)
	}
	for _, b := range x.Setters {
		c := commandOf(b.Call)
		c.Value, c.Name = fmt.Sprint(b.Kind.Value), b.Kind.C
		c.Names = slices.ContainsFunc(b.Args, func(a model.Arg) bool { return strings.HasSuffix(a.CType, "*") })
		s.addresses = s.addresses || c.Names
		r.Setters = append(r.Setters, c)
	}
	var names uint64
	for _, b := range x.Builders {
		if b.Names {
			names |= uint64(b.Flag.Value)
		}
	}
	if names != 0 {
		s.addresses, r.Names = true, fmt.Sprintf("%#x", names)
	}
	var err error
	if s.Before, err = fill("stream_more", r); err != nil {
		return s, err
	}
	s.Special, err = fill("stream", r)
	return s, err
}

// commandOf writes the values of a call: addresses are numbers in some requests, and pointers in others.
func commandOf(c model.Call) command {
	args := []string{"o"}
	for _, a := range c.Args {
		if strings.HasPrefix(a.From, "&") { // a struct or a value in the request
			args = append(args, "&w->"+a.From[1:])
			continue
		}
		if a.Copies != nil {
			args = append(args, "made")
			continue
		}
		value := "w->" + a.From
		if strings.HasSuffix(a.CType, "*") {
			value = "(" + a.CType + ")(uintptr_t)" + value
		}
		args = append(args, value)
	}
	return command{Op: c.Op, Args: strings.Join(args, ", ")}
}
