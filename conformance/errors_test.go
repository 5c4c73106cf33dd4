//go:build linux && cgo

package conformance

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestErrorsAreRefused makes the calls of the rules with severity error on a software device, without the bindings and so without
// the rules: one that keeps the rule and one that breaks it. When the device does the first, it must refuse the second. What no
// such pair can be made of is told with -v.
func TestErrorsAreRefused(t *testing.T) {
	pages := must(spec.Embedded(""))(t)
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t).On(runtime.GOARCH))
	judged, left, on := 0, 0, devices{}
	defer func() {
		for _, soft := range on {
			soft.Close() // it says what the calls left open
		}
	}()
	for _, r := range pages.Rules() {
		if r.Severity != spec.SeverityError || r.Kind == spec.KindNotNull { // C that reads NULL ends the process
			continue
		}
		v := rulecall.Judge(r, func(caps map[string]any) (*rulecall.Context, error) {
			return rulecall.Open(on.of(caps, facts), "soft0", pages, facts)
		})
		switch {
		case v.Why != "":
			t.Logf("%s: not judged: %s", r.ID, v.Why)
			if !strings.Contains(v.Why, "the device has no "+r.Verb) { // a new verb
				left++
			}
			continue
		case v.Errno == 0 && rulecall.Allowed[r.ID] != "":
			t.Logf("%s: not judged: %s", r.ID, rulecall.Allowed[r.ID])
			left++
			continue
		case v.Errno == 0:
			t.Errorf("%s is an error, and the software device accepts %s", r.ID, v.Call)
		}
		judged++
	}
	if t.Logf("%d rules judged, %d not", judged, left); left > most {
		t.Errorf("%d rules were not judged, more than %d", left, most)
	}
}

// devices are software devices by their capabilities. What is left open in a context goes with it.
type devices map[string]*softverbs.Device

// of returns the device with the capabilities of a case, as far as there are options for them.
func (d devices) of(caps map[string]any, facts *spec.Facts) *softverbs.Device {
	name := fmt.Sprint(caps)
	if d[name] == nil {
		options := []softverbs.Option{softverbs.Name("soft0"), softverbs.ODP(3, 0xff, 0xff, 0xff), softverbs.MRUnsupported(0), softverbs.NetRaw()}
		for path, v := range caps {
			if n, err := rulecall.Number(facts, v); err == nil && option[path] != nil {
				options = append(options, option[path](n))
			}
		}
		d[name] = softverbs.New(options...)
	}
	return d[name]
}

// option gives a device a capability.
var option = map[string]func(uint64) softverbs.Option{
	"device_attr.phys_port_cnt":            func(n uint64) softverbs.Option { return softverbs.Ports(uint32(n)) },
	"device_attr_ex.phys_port_cnt_ex":      func(n uint64) softverbs.Option { return softverbs.Ports(uint32(n)) },
	"device_attr_ex.max_dm_size":           softverbs.MaxDMSize,
	"device_attr.device_cap_flags":         softverbs.CapFlags,
	"device_attr_ex.device_cap_flags_ex":   softverbs.CapFlags,
	"device_attr_ex.odp_caps.general_caps": func(n uint64) softverbs.Option { return softverbs.ODP(n, 0xff, 0xff, 0xff) },
}

// most is how many rules the software device cannot judge at most: it has nothing of what they are about, or less of it than they say.
// Those of verbs that it lacks do not count. Three are about a queue pair without queues: TestLacking of conformance/device/oncard judges
// them.
const most = 38
