//go:build linux && cgo

package verbs_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// open returns a software device for an example.
func open() (*verbs.Device, func()) {
	soft := softverbs.New(softverbs.NetRaw())
	lib, err := verbs.LoadFrom(soft)
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	return dev, func() {
		check(dev.CloseAll())
		check(soft.Close())
	}
}

// All GIDs of a device, with the kind of network that each is of.
func ExampleDevice_QueryGIDTable() {
	dev, done := open()
	defer done()
	port, err := dev.QueryPort(1)
	check(err)
	gids := make([]verbs.GIDEntry, port.GIDTblLen)
	n, err := dev.QueryGIDTable(gids)
	check(err)
	for _, g := range gids[:n] {
		fmt.Println(g.PortNum, g.GIDIndex, g.GIDType, g.GID)
	}
	// Output:
	// 1 0 ROCE_V2 fe80::200:5eff:fe00:1
	// 1 1 ROCE_V2 ::ffff:10.0.0.1
}

// The rate of a port in Mbit/s, and what it is as a multiple of the slowest.
func ExampleLib_RateToMbps() {
	soft := softverbs.New(softverbs.NetRaw())
	lib, err := verbs.LoadFrom(soft)
	check(err)
	mbps, err := lib.RateToMbps(verbs.Rate20Gbps)
	check(err)
	mult, err := lib.RateToMult(verbs.Rate20Gbps)
	check(err)
	text, err := lib.NodeTypeString(verbs.NodeTypeCA)
	check(err)
	fmt.Println(mbps, mult, text)
	check(soft.Close())
	// Output: 20000 8 channel adapter
}

// A domain of a file, which another process can open by the same file.
func ExampleDevice_OpenXRCD() {
	dev, done := open()
	defer done()
	f, err := os.CreateTemp("", "domain")
	check(err)
	defer os.Remove(f.Name())
	domain, err := dev.OpenXRCD(verbs.NewXRCDInitAttr(int(f.Fd()), syscall.O_CREAT))
	check(err)
	check(f.Close())
	fmt.Println(domain.Close())
	// Output: <nil>
}

// A queue pair of datagrams in a multicast group.
func ExampleQP_AttachMcast() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(1, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	group := verbs.GID(netip.MustParseAddr("ff12::1").As16())
	check(qp.AttachMcast(group, 0))
	fmt.Println(group, qp.DetachMcast(group, 0))
	// Output: ff12::1 <nil>
}

// A window of memory is made without memory.
func ExamplePD_AllocMW() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	window, err := pd.AllocMW(verbs.MWType2)
	check(err)
	fmt.Println(window.RKey() != 0, window.Close())
	// Output: true <nil>
}

// Counters are read all at once, each at its index. They count in flows.
func ExampleCounters_Read() {
	dev, done := open()
	defer done()
	counters, err := dev.CreateCounters()
	check(err)
	fmt.Println(errors.Is(counters.Read(make([]uint64, 2), 0), syscall.EINVAL))
	// Output: true
}

// A datagram is answered by its completion and the 40 bytes that the device wrote in front of it.
func ExamplePD_CreateAHFromWC() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	gid, err := dev.QueryGID(1, 0)
	check(err)
	memory := make([]byte, 2048) // as the device left it
	memory[0], memory[6] = 6<<4, 17
	copy(memory[8:], gid[:])  // from
	copy(memory[24:], gid[:]) // to
	wc := &verbs.WC{ByteLen: verbs.GRHSize + 5, SrcQP: 17, Flags: verbs.WCFlagGRH}
	back, err := pd.CreateAHFromWC(wc, memory[:verbs.GRHSize], 1)
	check(err)
	fmt.Println(back.Close())
	// Output: <nil>
}

// A work queue goes from RESET to RDY; its mask is no matter of the program.
func ExampleWQ_Modify() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(16, nil, 0)
	check(err)
	wq, err := dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(16).MaxSGE(1))
	check(err)
	fmt.Println(wq.Modify(verbs.NewWQAttr().CurState(verbs.WQStateReset).State(verbs.WQStateRdy)))
	fmt.Println(cq.Modify(verbs.NewModifyCQAttr().Count(8).Period(100)))
	// Output:
	// <nil>
	// <nil>
}

// A flow takes HTTPS to one address, and counts it.
func ExampleQP_CreateFlow() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	cq, err := dev.CreateCQ(1, nil, 0)
	check(err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1, MaxRecvSGE: 1})
	check(err)
	counters, err := dev.CreateCounters()
	check(err)
	check(counters.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil))
	flow, err := qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(
		&verbs.FlowSpecEth{Val: verbs.FlowEthFilter{EtherType: 0x0800}, Mask: verbs.FlowEthFilter{EtherType: 0xffff}},
		&verbs.FlowSpecIPv4{Val: verbs.FlowIPv4Filter{DstIP: 0x0a000001}, Mask: verbs.FlowIPv4Filter{DstIP: 0xffffffff}},
		&verbs.FlowSpecTCP{Val: verbs.FlowPortFilter{DstPort: 443}, Mask: verbs.FlowPortFilter{DstPort: 0xffff}},
		&verbs.FlowSpecCount{Counters: counters}))
	check(err)
	fmt.Println(errors.Is(counters.Close(), syscall.EBUSY), flow.Close())
	// Output: true <nil>
}
