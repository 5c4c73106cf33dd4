package spec

import (
	"slices"
	"strings"
)

// module checks the names in module.yaml.
func (c *checker) module(m *Module) {
	subject := "module " + m.Name
	unknown := func(key, text, problem, fix string) {
		c.add(m.At(key, text), CodeUnknownName, subject, key+": "+problem, fix)
	}
	c.function(m.At("probe", m.Probe), subject, m.Probe)
	if m.Root != "" && c.ObjectByGo(m.Root) == nil {
		var objects []string
		for o := range c.Objects() {
			objects = append(objects, o.Go)
		}
		unknown("root", m.Root, "no page has an object "+show(m.Root), DidYouMean(m.Root, objects))
	}
	names := c.allNames()
	for _, p := range m.own.prefixes {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, p) }) {
			unknown("prefixes", p, "no name of the header begins with "+show(p), "correct it, or remove it")
		}
	}
	props := []string{}
	for _, tag := range sortedKeys(m.own.objects) {
		props = append(props, m.own.objects[tag]...)
		if c.f.TypeOf("struct "+tag).record == nil {
			unknown("objects", tag, "no known release has struct "+show(tag), DidYouMean(tag, c.structTags()))
		}
	}
	for _, prop := range sortedKeys(m.own.types) {
		if !slices.Contains(props, prop) {
			unknown("properties", prop, "no object has the property "+show(prop), DidYouMean(prop, props))
		}
		if ctype := m.own.types[prop]; !c.declared(ctype) {
			unknown("properties."+prop, ctype, prop+" is a "+show(ctype)+", which is not a C type of the header", "correct it")
		}
	}
	for _, path := range sortedKeys(m.own.synonyms) {
		tag, prop, _ := strings.Cut(path, ".")
		for _, name := range []string{prop, m.own.synonyms[path]} {
			if has := m.own.objects[tag]; !slices.Contains(has, name) {
				unknown("synonyms", path, "there is no property "+show(name)+" of an object "+show(tag), DidYouMean(name, has))
			}
		}
	}
	for _, root := range sortedKeys(m.own.caps) {
		c.capWord(m, root, subject)
	}
}

// declared reports whether a C type is one that facts can have.
func (c *checker) declared(ctype string) bool {
	t := c.f.TypeOf(ctype)
	switch {
	case strings.Contains(ctype, "enum "):
		return c.f.Enum(t.Tag) != nil
	case t.Tag != "":
		return t.record != nil
	}
	return t.Kind != COther
}

// capWord checks the struct that the first word of capability paths stands for, and what it holds.
func (c *checker) capWord(m *Module, root, subject string) {
	of, at := m.own.caps[root], m.At("capabilities", root)
	t := c.f.TypeOf("struct " + of.Struct)
	if t.record == nil {
		c.add(at, CodeUnknownName, subject, "capabilities: no known release has struct "+show(of.Struct)+", which "+root+" stands for",
			DidYouMean(of.Struct, c.structTags()))
		return
	}
	t.Kind = CStruct
	for _, field := range sortedKeys(of.Holds) {
		c.field(at, subject, t, field)
		if word := of.Holds[field]; c.f.caps[word].Struct == "" {
			c.add(at, CodeUnknownName, subject, "capabilities: "+root+" holds "+show(word)+", and no capabilities are called so",
				DidYouMean(word, sortedKeys(c.f.caps)))
		}
	}
}
