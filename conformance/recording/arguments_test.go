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
	"reader": "TestReaders",
	"stream": "TestStreams",
}

// written are the methods of form special that TestArguments cannot call as it calls others, and what does instead.
var written = map[string]string{
	"Lib.Devices":      "TestDevices",
	"Lib.OpenDevice":   "every test opens a device",
	"MR.Rereg":         "TestRereg",
	"QP.PostSend":      "TestSendRequests",
	"QP.PostRecv":      "TestReceiveRequests",
	"SRQ.PostRecv":     "TestReceiveRequests",
	"WQ.PostRecv":      "TestReceiveRequests",
	"SRQ.PostOps":      "TestOps of runtime/gensupport/dpath",
	"AH.Address":       "TestSendRequests",
	"MW.Bind":          "TestWindows",
	"CQ.PollInto":      "TestCompletions",
	"CQ.ReqNotify":     "TestReqNotify of runtime/gensupport/dpath",
	"DM.WriteAt":       "a copy takes bytes, no record; conformance/bench/dmbench and runtime/gensupport/devmem copy",
	"DM.ReadAt":        "the same",
	"CompChannel.Next": "TestNextCQEvent of runtime/gensupport/dpath",
	"CQEvent.Done":     "the same",
	"Device.NextEvent": "TestAsyncEvents",
	"Lib.ImportDevice": "TestImportDevice",
	"AsyncEvent.Done":  "the same",
}

// methods calls f for every method of the pages that is not tested elsewhere.
func methods(t testing.TB, f func(v *spec.Verb, m *spec.Method)) {
	t.Helper()
	met := map[string]bool{}
	for v := range must(pages())(t).Verbs() {
		for j := range v.Methods {
			met[v.Methods[j].Form] = true
			if f := must(facts())(t).Func(v.C); f.Dispatch != nil && f.Dispatch.Way == api.WayPure {
				continue // it calls nothing; gen/verbs compares its numbers
			}
			m := &v.Methods[j]
			met[m.Go] = true
			if elsewhere[m.Form] == "" && written[m.Go] == "" {
				f(v, m)
			}
		}
	}
	for form := range elsewhere {
		if !met[form] {
			t.Errorf("no method has the form %s, which elsewhere names", form)
		}
	}
	for name := range written {
		if !met[name] {
			t.Errorf("%s is no method of the pages", name)
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
// A builder is tried with all setters at once, and with each alone; with the race detector only with those alone that the others exclude.
func TestArguments(t *testing.T) {
	each(t, func(b *bed, v *spec.Verb, m *spec.Method) {
		names := b.setterNames(v, m)
		if names == nil {
			b.accepted(v, m, nil)
			return
		}
		b.accepted(v, m, []string{})
		with := b.together(v, m, names)
		for _, name := range names {
			if !raceDetector || !slices.Contains(with, name) { // alone it passes no other memory to C than with the others
				b.alone(v, m, name, names)
			}
		}
	})
}

// setterNames returns the setters of the builder that a method takes, nil where it takes none.
func (b *bed) setterNames(v *spec.Verb, m *spec.Method) []string {
	b.Helper()
	p := taken(b.spec, v, m)
	if p == nil {
		return nil
	}
	x := b.build(p.Type, []string{}, p.C, newAttempt())
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
	for r := range b.spec.Records() {
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
