//go:build linux && cgo

package recording

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

var includeFlag = flag.String("include", "/usr/include", "folder of the infiniband/verbs.h to compile against")

// TestMain keeps the library that opened compiles until the end.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "recording")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	folder = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

var folder string

// opened compiles the library, once.
var opened = sync.OnceValues(func() (*Library, error) {
	abi, err := os.ReadFile("../../runtime/gensupport/verbs_abi.h")
	if err != nil {
		return nil, err
	}
	return Open(folder, *includeFlag, string(abi))
})

// pages are the project's own.
var pages = sync.OnceValues(func() (*spec.Spec, error) { return spec.Embedded("") })

// facts are those of the newest release.
var facts = sync.OnceValues(func() (*spec.Facts, error) {
	newest, err := api.Load(api.Newest())
	if err != nil {
		return nil, err
	}
	return spec.NewFacts(newest.On(runtime.GOARCH)), nil
})

// bed is an open device of the recording library, and what the bindings make on it.
type bed struct {
	testing.TB
	rec     *Library
	spec    *spec.Spec
	facts   *spec.Facts // of the newest release
	lib     *verbs.Lib
	dev     *verbs.Device
	devAt   uint64 // struct ibv_context *
	devMade map[string]string
	memory  *regions
	behind  []behindArm // what the records get that have others behind them in memory
	arm     int         // which of several records a builder gets that takes any of them

	enumerated map[string]bool // paths of fields whose type is an enumeration
}

// open opens the device. Its capabilities are all ones, so that no rule refuses a value that a device could take.
func open(t testing.TB) *bed {
	t.Helper()
	if _, err := os.Stat(*includeFlag + "/infiniband/verbs.h"); err != nil && *includeFlag == "/usr/include" {
		t.Skipf("no verbs.h is installed, make setup does that: %v", err)
	}
	b := &bed{TB: t, memory: &regions{}, enumerated: map[string]bool{}}
	b.rec = must(opened())(t)
	b.spec = must(pages())(t)
	b.facts = must(facts())(t)
	b.usual("ibv_query_device")
	b.usual("ibv_query_device_ex")
	b.lib = must(verbs.LoadFrom(b.rec))(t)
	b.rec.Fill("", Own, All)
	b.dev = must(b.lib.OpenDevice(must(b.lib.Devices())(t)[0].Name))(t)
	b.rec.Fill("", AsIs, All)
	opening := b.last("ibv_open_device")
	b.devAt, b.devMade = opening.Result, opening.Made
	t.Cleanup(func() {
		b.memory.close(t)
		if err := b.dev.CloseAll(); err != nil {
			t.Error(err)
		}
		b.rec.Forget()
	})
	return b
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// usual takes back what a test said of the answers of a function: of a device's capabilities all bits are 1, the rest is left as it is.
func (b *bed) usual(function string) {
	if strings.HasPrefix(function, "ibv_query_device") {
		b.rec.Fill(function, Ones, All)
	} else {
		b.rec.Fill(function, AsIs, All)
	}
}

// last returns the newest call of a verb since the last time that calls were taken.
func (b *bed) last(verb string) Call {
	b.Helper()
	call, others, ok := b.find(verb)
	if !ok {
		b.Fatalf("%s was not called, but %s", verb, others)
	}
	return call
}

// find is last, or gives the names of the functions that were called instead.
func (b *bed) find(verb string) (call Call, others string, ok bool) {
	b.Helper()
	calls := must(b.rec.Calls())(b.TB)
	var names []string
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].Verb == verb {
			return calls[i], "", true
		}
		names = append(names, calls[i].Verb)
	}
	return Call{}, strings.Join(names, ", "), false
}

// reaches are the functions by which a verb is called, where they have another name, and what they are given besides.
var reaches = map[string]struct {
	function string
	also     map[string]string // argument -> the argument that it is equal to
}{
	"ibv_reg_mr":      {"ibv_reg_mr_iova2", map[string]string{"iova": "addr"}},
	"ibv_reg_mr_iova": {"ibv_reg_mr_iova2", nil},
}

func functionOf(verb string) string {
	if r, ok := reaches[verb]; ok {
		return r.function
	}
	return verb
}

// handle makes an object, by the verb of the pages that needs the fewest arguments for it, and gives its address in C.
func (b *bed) handle(of string) (reflect.Value, uint64) {
	b.Helper()
	switch of {
	case "Device":
		return reflect.ValueOf(b.dev), b.devAt
	case "Lib":
		return reflect.ValueOf(b.lib), 0
	}
	verb, method := b.maker(of)
	c := b.newCall(verb, method)
	results := c.make(nil)
	if c.err != nil {
		b.Fatalf("%s: %v", method.Go, c.err)
	}
	b.inOneDomain(of, c.got.Result)
	return results[0], c.got.Result
}

// stores reports whether a verb puts the object that it makes where a parameter points to.
func stores(v spec.Verb) bool {
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == role.Made })
}

// maker finds the verb that makes an object.
func (b *bed) maker(of string) (*spec.Verb, *spec.Method) {
	b.Helper()
	var best *spec.Verb
	for _, p := range b.spec.Pages {
		for i, v := range p.Verbs {
			if v.Creates != of || len(v.Methods) == 0 || b.facts.Func(v.C).Ret != "struct "+b.spec.ObjectByGo(of).C+" *" && !stores(v) {
				continue // an extended function makes a larger record
			}
			if best == nil || len(v.Params) < len(best.Params) {
				best = &p.Verbs[i]
			}
		}
	}
	if best == nil {
		b.Fatalf("no verb of the pages makes a %s", of)
	}
	return best, &best.Methods[0]
}
