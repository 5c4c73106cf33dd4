//go:build linux && cgo

package recording

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// elsewhere are the forms of methods that TestArguments cannot call as it calls others, and what does instead.
var elsewhere = map[string]string{
	"device_list":  "TestDevices",
	"open_device":  "every test opens a device",
	"post_send":    "TestSendRequests",
	"post_srq_ops": "TestOperations",
	"address":      "TestSendRequests",
	"poll_cq":      "TestCompletions",
	"reader":       "TestReaders",
	"stream":       "TestStreams",
	"req_notify":   "TestReqNotify",
	"window":       "TestWindows",
	"write_dm":     "a copy takes bytes, no record; conformance/dmbench and runtime/devmem copy",
	"read_dm":      "the same",
	"next_event":   "TestCompletionEvents",
	"done_event":   "the same",
	"next_async":   "TestAsyncEvents",
	"done_async":   "the same",
}

// written are the methods of form special, which have tests of their own.
var written = map[string]string{
	"MR.Rereg": "TestRereg",
}

// receives reports whether a form posts receives to some kind of queue, which TestReceiveRequests does.
func receives(form string) bool {
	return strings.HasPrefix(form, "post_") && strings.HasSuffix(form, "recv")
}

// methods calls f for every method of the pages that is not tested elsewhere.
func methods(t *testing.T, f func(v *spec.Verb, m *spec.Method)) {
	t.Helper()
	met := map[string]bool{}
	for _, p := range must(pages())(t).Pages {
		for i := range p.Verbs {
			v := &p.Verbs[i]
			for j := range v.Methods {
				met[v.Methods[j].Form] = true
				if f := must(facts())(t).Func(v.C); f.Dispatch != nil && f.Dispatch.Way == api.WayPure {
					continue // it calls nothing; gen/verbs compares its numbers
				}
				if m := &v.Methods[j]; m.Form == "special" {
					if written[m.Go] == "" {
						t.Errorf("%s is written by hand, and no test is named here that calls it", m.Go)
					}
					met[m.Go] = true
				} else if elsewhere[m.Form] == "" && !receives(m.Form) {
					f(v, m)
				}
			}
		}
	}
	for form := range elsewhere {
		if !met[form] {
			t.Errorf("no method has the form %s, which elsewhere names", form)
		}
	}
}

// each calls f for every such method, as a test of its own.
func each(t *testing.T, f func(b *bed, v *spec.Verb, m *spec.Method)) {
	methods(t, func(v *spec.Verb, m *spec.Method) {
		t.Run(m.Go, func(t *testing.T) { f(open(t), v, m) })
	})
}

// TestArguments calls every method: each argument and each field of a builder arrives under its own name in C, and nothing else does.
// A builder is tried with each setter alone, and with all of them at once.
func TestArguments(t *testing.T) {
	each(t, func(b *bed, v *spec.Verb, m *spec.Method) {
		names := b.setterNames(v, m)
		if names == nil {
			b.accepted(v, m, nil)
			return
		}
		b.accepted(v, m, []string{})
		for _, name := range names {
			b.alone(v, m, name, names)
		}
		b.together(v, m, names)
	})
}

// setterNames gives the setters of the builder that a method takes, nil where it takes none.
func (b *bed) setterNames(v *spec.Verb, m *spec.Method) []string {
	b.Helper()
	p := taken(b.spec, v, m)
	if p == nil {
		return nil
	}
	x := b.build(p.Type, []string{}, p.C, new(int), map[string]int{})
	setters, _ := settersOf(x.record, x.v.Type()) // build reports the errors
	names := []string{}
	for _, s := range setters {
		names = append(names, s.method)
	}
	return names
}

// accepted makes a call and compares it; it is false when the rules refuse the call.
func (b *bed) accepted(v *spec.Verb, m *spec.Method, setters []string) bool {
	b.Helper()
	r := b.newCall(v, m)
	r.make(setters)
	switch {
	case r.err == nil:
		r.compare()
	case setters == nil:
		b.Errorf("%s: %v", m.Go, r.err)
	}
	return r.err == nil
}

// alone calls with one setter, or where the rules ask for more with as few others as they accept.
func (b *bed) alone(v *spec.Verb, m *spec.Method, name string, names []string) {
	b.Helper()
	if b.accepted(v, m, []string{name}) {
		return
	}
	for _, other := range names {
		if other != name && b.accepted(v, m, []string{name, other}) {
			return
		}
	}
	for i, other := range names {
		for _, third := range names[i+1:] {
			if other != name && third != name && b.accepted(v, m, []string{name, other, third}) {
				return
			}
		}
	}
	r := b.newCall(v, m)
	r.make([]string{name})
	b.Errorf("%s: no call with %s is accepted: %v", m.Go, name, r.err)
}

// together calls with as many setters as the rules accept at once, which it returns.
func (b *bed) together(v *spec.Verb, m *spec.Method, names []string) []string {
	b.Helper()
	if b.accepted(v, m, names) {
		return names
	}
	with := []string{}
	for _, name := range names {
		if b.accepted(v, m, append(slices.Clone(with), name)) {
			with = append(with, name)
		}
	}
	if len(with) < len(names) {
		b.Logf("%s: of %s together only %s are accepted", m.Go, strings.Join(names, ", "), strings.Join(with, ", "))
	}
	return with
}

// TestUnreached holds the pages against the records: a field of C that no Go name reaches is hidden on the page, with its reason.
func TestUnreached(t *testing.T) {
	b := open(t)
	for _, p := range b.spec.Pages {
		for _, r := range p.Records {
			if r.Runtime != "" {
				continue // a Go struct, see values_test.go
			}
			shown := r.Shown()
			for _, f := range b.facts.Record("struct " + r.C).Fields {
				name, _, _ := strings.Cut(f.Name, ".")
				if name != "" && !shown[f.Name] && !shown[name] && r.Hide[f.Name] == "" && r.Hide[name] == "" {
					t.Errorf("struct %s.%s has neither a Go name in %s nor a reason under hide", r.C, f.Name, r.Go)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(r.Hide)) {
				if shown[name] || r.Hide[name] == "" {
					t.Errorf("struct %s.%s is hidden, and %s shows it", r.C, name, r.Go)
				}
			}
		}
	}
}
