//go:build linux && cgo

package recording

import (
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// catcher keeps the errors of a test.
type catcher struct {
	testing.TB
	said []string
}

func (c *catcher) Errorf(form string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(form, args...))
}
func (c *catcher) Error(args ...any)   { c.said = append(c.said, fmt.Sprint(args...)) }
func (c *catcher) Logf(string, ...any) {}

// method finds a method of the pages.
func (b *bed) method(name string) (v *spec.Verb, m *spec.Method) {
	b.Helper()
	methods(b.TB, func(verb *spec.Verb, method *spec.Method) {
		if method.Go == name {
			v, m = verb, method
		}
	})
	if v == nil {
		b.Fatalf("%s is not called by TestArguments", name)
	}
	return v, m
}

// TestSwapped lets C take two fields of one size for each other, in a record of each sort that Go fills or reads, or two functions of one
// type: the tests notice it, and name both. It shows that they compare what they say.
func TestSwapped(t *testing.T) {
	b := open(t)
	arguments := func(name string) func(*bed) {
		v, m := b.method(name)
		return func(b *bed) { b.accepted(v, m, nil) }
	}
	results := func(name string) func(*bed) {
		v, m := b.method(name)
		return func(b *bed) { b.results(v, m) }
	}
	for _, c := range []struct {
		tag, one, other string
		check           func(b *bed)
	}{
		{"struct ibv_alloc_dm_attr", "log_align_req", "comp_mask", arguments("Device.AllocDM")},
		{"struct ibv_global_route", "hop_limit", "traffic_class", arguments("PD.CreateAH")},
		{"struct ibv_device_attr", "max_qp", "max_qp_wr", results("Device.QueryDevice")},
		{"struct ibv_qp_attr", "min_rnr_timer", "port_num", results("QP.Query")},
		{"struct ibv_send_wr", "wr.rdma.remote_addr", "wr_id", (*bed).sendRequests},
		{"struct ibv_sge", "length", "lkey", (*bed).receiveRequests},
		{"struct ibv_wc", "slid", "pkey_index", (*bed).completions},
		{"struct ibv_async_event", "event_type", "element.port_num", (*bed).exchange},
		{"struct ibv_cq_ex", "read_byte_len", "read_src_qp", (*bed).readAll},
		{"struct ibv_qp_ex", "wr_rdma_write", "wr_rdma_read", (*bed).streams},
	} {
		if !b.rec.Swap(c.tag, c.one, c.other) {
			t.Fatalf("%s: %s and %s cannot be swapped", c.tag, c.one, c.other)
		}
		said := &catcher{TB: t}
		in := *b
		in.TB = said
		c.check(&in)
		b.rec.Swap(c.tag, c.one, c.other)
		if all := strings.Join(said.said, "\n"); !strings.Contains(all, c.one) || !strings.Contains(all, c.other) {
			t.Errorf("%s: %s in the place of %s, and no error names both: %q", c.tag, c.one, c.other, said.said)
		}
	}
}
