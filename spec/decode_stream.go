package spec

import "go.yaml.in/yaml/v3"

// stream reads what a stream of commands is made of.
func (d *decoder) stream(n *yaml.Node, verb string) *Stream {
	s := &Stream{}
	d.object(n, place{verb + ".stream", ""}, []key{
		{"request", true, d.text(&s.Request)},
		{"asks", true, d.text(&s.Asks)},
		{"sets", true, d.textMap(&s.Sets)},
		{"opcode", true, d.text(&s.Opcode)},
		{"flags", true, d.text(&s.Flags)},
		{"inline", true, d.text(&s.Inline)},
		{"elements", true, d.text(&s.Elements)},
		{"kind", true, d.text(&s.Kind)},
		{"driver", false, d.text(&s.Driver)},
	})
	return s
}

// builds reads for which requests a verb is called.
func (d *decoder) builds(n *yaml.Node, verb string) *Builds {
	b := &Builds{}
	d.object(n, place{verb + ".builds", ""}, []key{
		{"opcode", true, d.text(&b.Opcode)},
		{"flag", true, d.text(&b.Flag)},
		{"data", false, d.truth(&b.Data)},
		{"names", false, d.truth(&b.Names)},
	})
	return b
}

// view reads which stream has the object of a view.
func (d *decoder) view(n *yaml.Node, verb string) *View {
	v := &View{}
	d.object(n, place{verb + ".view", ""}, []key{
		{"stream", true, d.text(&v.Stream)},
		{"requests", true, d.exported(&v.Requests)},
	})
	return v
}

// command reads how a function of a view is called.
func (d *decoder) command(n *yaml.Node, verb string) *Command {
	c := &Command{}
	d.object(n, place{verb + ".command", ""}, []key{
		{"go", true, d.exported(&c.Go)},
		{"builds", false, d.truth(&c.Builds)},
		{"with", false, d.text(&c.With)},
	})
	return c
}

// constants are those that a verb of a stream of commands names.
func (v *Verb) constants() (out []string) {
	if v.Stream != nil {
		out = append(out, v.Stream.Inline)
		if v.Stream.Driver != "" {
			out = append(out, v.Stream.Driver)
		}
	}
	if v.Builds != nil {
		out = append(out, v.Builds.Opcode, v.Builds.Flag)
	}
	if v.SetsFor != "" {
		out = append(out, v.SetsFor)
	}
	return out
}
