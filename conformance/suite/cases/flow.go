//go:build linux && cgo

package cases

import (
	"maps"
	"os"
	"slices"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// flows are the cases of flows: structs of several kinds behind another.
func flows() []suite.Case {
	flow := shared("ibv_create_flow", suite.Flows)
	return []suite.Case{
		flow("CF-flow-0001", "each kind of spec by itself, and all together", everySpec),
		flow("CF-flow-0002", "a flow keeps its queue pair and its counters", flowOrder, suite.Counters),
		flow("CF-flow-0003", "a connected queue pair, and specs that are none", noFlow).Ruled(
			"VR-ibv_create_flow-qp-0803", "VR-ibv_create_flow-num_of_specs-3310"),
		of("CF-flow-0004", "counters are attached before the flow is made", "ibv_attach_counters_point_flow",
			flowCounters, suite.Flows, suite.Counters),
		flow("CF-flow-0005", "a flow with counters that count nothing yet, and what is attached after", flowCountsNothing, suite.Counters),
	}
}

// flowQueue makes a queue pair for flows. Those of datagrams have none on mlx5.
func flowQueue(t *suite.T) *verbs.QP {
	if t.Soft() == nil && t.Has(suite.RawPacket) {
		return queuePairOf(t, verbs.QPTypeRawPacket)
	}
	return queuePairOf(t, verbs.QPTypeUD)
}

// newFlow describes a flow of port 1 with specs. On a device with a network, only frames to suite.Nobody match, so that other traffic
// of the port goes where it always does.
func newFlow(t *suite.T, specs ...verbs.FlowSpec) *verbs.FlowAttr {
	if t.Soft() == nil {
		nobody := suite.ToNobody()
		if len(specs) > 0 {
			if eth, ok := specs[0].(*verbs.FlowSpecEth); ok && eth != nil {
				both := *eth
				both.Val.DstMAC, both.Mask.DstMAC = suite.Nobody, suite.WholeMAC
				nobody, specs = &both, specs[1:]
			}
		}
		specs = append([]verbs.FlowSpec{nobody}, specs...)
	}
	return verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(specs...)
}

func everySpec(t *suite.T) {
	ports := func() verbs.FlowPortFilter { return verbs.FlowPortFilter{DstPort: 0xffff} }
	specs := map[string]verbs.FlowSpec{
		"Ethernet": &verbs.FlowSpecEth{Val: verbs.FlowEthFilter{EtherType: 0x800}, Mask: verbs.FlowEthFilter{EtherType: 0xffff}},
		"IPv4":     &verbs.FlowSpecIPv4{Inner: true}, "IPv4, all of it": &verbs.FlowSpecIPv4Ext{}, "IPv6": &verbs.FlowSpecIPv6{},
		"ESP": &verbs.FlowSpecESP{},
		"TCP": &verbs.FlowSpecTCP{Val: ports(), Mask: ports()}, "UDP": &verbs.FlowSpecUDP{}, "VXLAN": &verbs.FlowSpecVXLAN{},
		"GRE":  &verbs.FlowSpecGRE{},
		"MPLS": &verbs.FlowSpecMPLS{}, "a tag": &verbs.FlowSpecTag{TagID: 7}, "nothing": &verbs.FlowSpecDrop{},
	}
	qp := flowQueue(t)
	var all []verbs.FlowSpec
	for _, what := range slices.Sorted(maps.Keys(specs)) { // reports are compared by the order of their answers
		spec := specs[what]
		f, err := qp.CreateFlow(newFlow(t, spec))
		if t.Soft() == nil && err != nil { // devices differ in what they match
			t.Saw(what, err)
			continue
		}
		f = must(f, err)(t)
		is(t, what+": its queue pair", f.QP(), qp)
		is(t, what+": its device", f.Device(), t.Device())
		t.OK("Close", f.Close())
		fails(t, "second Close", f.Close(), os.ErrClosed)
		all = append(all, spec)
	}
	if t.Soft() != nil {
		half := len(all) / 2 // a flow has at most ten
		t.OK("Close of one half together", must(qp.CreateFlow(newFlow(t, all[:half]...)))(t).Close())
		t.OK("Close of the other half", must(qp.CreateFlow(newFlow(t, all[half:]...)))(t).Close())
	}
}

func flowOrder(t *suite.T) {
	qp := flowQueue(t)
	c := must(t.Device().CreateCounters())(t)
	// libmlx5 makes no flow with counters that count nothing (verbs.c, allocate_flow_counters_descriptions)
	t.OK("packets", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil))
	f := must(qp.CreateFlow(newFlow(t, &verbs.FlowSpecEth{}, &verbs.FlowSpecCount{Counters: c})))(t)
	t.Errno("Close of the counters of a flow", c.Close(), syscall.EBUSY)
	t.Errno("Close of the queue pair of a flow", qp.Close(), syscall.EBUSY)
	t.OK("Close", f.Close())
	t.OK("Close of the counters", c.Close())
	fails(t, "a flow with counters that are closed", errorOf(qp.CreateFlow(newFlow(t, &verbs.FlowSpecCount{Counters: c}))), os.ErrClosed)
}

func noFlow(t *suite.T) {
	refusedBy(t, "VR-ibv_create_flow-qp-0803", errorOf(queuePairOf(t, verbs.QPTypeRC).CreateFlow(newFlow(t))))
	qp := flowQueue(t)
	many := slices.Repeat([]verbs.FlowSpec{&verbs.FlowSpecDrop{}}, 256)
	for what, specs := range map[string][]verbs.FlowSpec{"nil": {nil}, "a nil spec": {(*verbs.FlowSpecEth)(nil)},
		"nil counters": {&verbs.FlowSpecCount{}}, "more than can be counted": many} {
		if f, err := qp.CreateFlow(newFlow(t, specs...)); err == nil {
			t.Errorf("%s: a flow is made", what)
			t.OK("Close", f.Close())
		} else {
			fails(t, what, err, syscall.EINVAL, os.ErrClosed)
		}
	}
	refusedBy(t, "VR-ibv_create_flow-num_of_specs-3310", errorOf(qp.CreateFlow(newFlow(t, many[:11]...))))
	most := 10
	if t.Soft() == nil { // one is that of newFlow
		most--
	}
	t.OK("Close of a flow of ten specs", must(qp.CreateFlow(newFlow(t, many[:most]...)))(t).Close())
	fails(t, "no description", errorOf(qp.CreateFlow(nil)), syscall.EINVAL)
}

func flowCounters(t *suite.T) {
	qp := flowQueue(t)
	c := counting(t)
	f := must(qp.CreateFlow(newFlow(t, &verbs.FlowSpecEth{}, &verbs.FlowSpecCount{Counters: c})))(t)
	t.Errno("attached while a flow counts", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionBytes, 1), nil), syscall.EBUSY)
	values := []uint64{9, 9, 9}
	t.OK("Read", c.Read(values, 0))
	is(t, "counted, though nothing came by", [2]uint64{values[0], values[2]}, [2]uint64{})
	t.Errno("an index behind the list", c.Read(values[:2], 0), syscall.EINVAL)
	t.OK("Close", f.Close())
}

// flowCountsNothing makes a flow, or is refused one, and uses the counters behind it.
func flowCountsNothing(t *suite.T) {
	c := must(t.Device().CreateCounters())(t)
	f, err := flowQueue(t).CreateFlow(newFlow(t, &verbs.FlowSpecEth{}, &verbs.FlowSpecCount{Counters: c}))
	if t.Saw("a flow with counters that count nothing", err); err == nil {
		t.OK("Close", f.Close())
	}
	t.OK("packets", c.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil))
	t.OK("Close of the counters", c.Close())
}
