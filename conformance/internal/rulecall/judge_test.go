//go:build linux && cgo

package rulecall

import (
	"math/big"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// lenient is a library in which one function always answers 0.
type lenient struct {
	Symbols
	name string
}

func (l lenient) Symbol(name, version string) uintptr {
	if name == l.name {
		return l.Symbols.Symbol("ibv_fork_init", "")
	}
	return l.Symbols.Symbol(name, version)
}

// TestJudge judges rules on devices that refuse the breach, let it pass, or cannot tell.
func TestJudge(t *testing.T) {
	pages, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	release, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	facts := spec.NewFacts(release.On(runtime.GOARCH))
	soft := softverbs.New(softverbs.Name("soft0"), softverbs.NetRaw())
	defer soft.Close()
	for _, c := range []struct {
		id, lenient string
		want        syscall.Errno
		status      uint64
		why         string
	}{
		{"VR-ibv_modify_qp-port_num-0231", "", syscall.EINVAL, 0, ""},
		{"VR-ibv_modify_qp-port_num-0231", "ibv_modify_qp", 0, 0, ""},
		{"VR-ibv_query_port-port_num-0171", "", syscall.EINVAL, 0, ""}, // of the device's one port
		{"VR-ibv_query_port-port_num-0171", "ibv_query_port", 0, 0, ""},
		{"VR-ibv_dealloc_pd-pd-0147", "", syscall.EBUSY, 0, ""},
		{"VR-ibv_dealloc_pd-pd-0147", "ibv_dealloc_pd", 0, 0, ""},
		{"VR-ibv_create_cq-comp_vector-0282", "", syscall.EINVAL, 0, ""},
		{"VR-ibv_post_send-opcode-0337", "", syscall.EIO, 2, ""},         // a completion says it
		{"VR-ibv_reg_mr-access-0016", "", syscall.EOPNOTSUPP, 0, ""},     // a device without on-demand paging
		{"VR-ibv_set_ece-vendor_id-1320", "", 0, 0, "not supported"},     // nor can it do what keeps the rule
		{"VR-ibv_reg_mr-length-0017", "", 0, 0, "odp_caps"},              // nor can it break it alone
		{"VR-ibv_modify_qp-sgid_index-2065", "", 0, 0, "cannot be 1024"}, // nor does C have a way to say it
		{"VR-ibv_dealloc_dmah-dmah-1343", "", 0, 0, "ibv_alloc_dmah: operation not supported"},
		{"VR-ibv_memcpy_to_dm-dm-0130", "", 0, 0, "gone"},                   // nor is the object there still
		{"VR-ibv_close_device-context-0157", "", 0, 0, ""},                  // C lets it pass
		{"VR-ibv_create_flow-num_of_specs-3310", "", syscall.EINVAL, 0, ""}, // with specs behind it
	} {
		v := Judge(pages.RuleByID(c.id), func(map[string]any) (*Context, error) {
			return Open(lenient{soft, c.lenient}, "soft0", pages, facts)
		})
		if v.Errno != c.want || v.Status != c.status || !strings.Contains(v.Why, c.why) || (v.Why == "") != (c.why == "") {
			t.Errorf("%s with a lenient %q: %+v, want %v", c.id, c.lenient, v, c.want)
		}
	}
	if _, err := Open(soft, "soft1", pages, facts); err == nil || err.Error() != "no device soft1" {
		t.Errorf("a device that is not there: %v", err)
	}
}

// TestMoved moves what two cases differ in, and nothing else.
func TestMoved(t *testing.T) {
	n := big.NewInt
	got := moved(m{"port": n(2), "sub": m{"port": n(3), "same": n(2)}, "name": "x"}, m{"port": n(3), "sub": m{"port": n(2), "same": n(2)}}, -1)
	if want := (m{"port": n(1), "sub": m{"port": n(2), "same": n(2)}, "name": "x"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	in := m{"attr": m{"a": 1, "b": 2}, "c": 3}
	if got := without(in, "attr.a"); !reflect.DeepEqual(got, m{"attr": m{"b": 2}, "c": 3}) || len(in["attr"].(m)) != 2 {
		t.Errorf("got %v of %v", got, in)
	}
}
