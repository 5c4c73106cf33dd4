//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// ofPages are the cases of verbs that a page alone has bound: sizes, speeds, clocks, options of queue pairs, fork.
func ofPages() []suite.Case {
	return []suite.Case{
		of("CF-resize-0001", "a queue that gets larger keeps the completions that are in it", "ibv_resize_cq",
			resizeKeeps, suite.Peer, suite.Resize),
		of("CF-resize-0002", "sizes that cannot be", "ibv_resize_cq", resizeNot, suite.Resize).Ruled(
			"VR-ibv_resize_cq-cqe-1302", "VR-ibv_resize_cq-cqe-1303"),
		of("CF-resize-0003", "a queue that gets smaller, but not smaller than the completions in it", "ibv_resize_cq",
			resizeSmaller, suite.Peer, suite.Resize),
		of("CF-speed-0001", "a port has a speed, and no port has none", "ibv_query_port_speed", portSpeed).Ruled(
			"VR-ibv_query_port_speed-port_num-1326", "VR-ibv_query_port_speed-port_num-1327"),
		of("CF-clock-0001", "the clock runs", "ibv_query_rt_values_ex", clockRuns, suite.Clock),
		of("CF-order-0001", "what is in order is told by known bits", "ibv_query_qp_data_in_order", dataInOrder),
		of("CF-rate-0001", "a rate before the queue pair is connected, and bursts without a rate", "ibv_modify_qp_rate_limit",
			rateLimit).Ruled(
			"VR-ibv_modify_qp_rate_limit-state-1314", "VR-ibv_modify_qp_rate_limit-max_burst_sz-1312",
			"VR-ibv_modify_qp_rate_limit-typical_pkt_sz-1313"),
		of("CF-ece-0001", "options of no vendor; those of the device", "ibv_set_ece", ece).Ruled("VR-ibv_set_ece-vendor_id-1320"),
		of("CF-fork-0001", "the library says whether a program may fork", "ibv_is_fork_initialized", forkStatus),
		of("CF-dmah-0001", "hints that are incomplete or too large", "ibv_alloc_dmah", dmaHandle).Ruled(
			"VR-ibv_alloc_dmah-ph-1341", "VR-ibv_alloc_dmah-comp_mask-1336", "VR-ibv_alloc_dmah-comp_mask-1337"),
		of("CF-dmfd-0001", "a descriptor of device memory is the caller's", "ibv_dm_export_dmabuf_fd", exportDM, suite.DM),
	}
}

// lacks reports whether a device lacks a verb, and notes what it answered. Any other error than the given ones fails the case.
func lacks(t *suite.T, what string, err error) bool {
	t.Saw(what, err)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%s: %v", what, err)
	}
	return err != nil
}

// refusedOrAbsent is refusedBy for verbs that an older library has not: there is nothing to refuse then.
func refusedOrAbsent(t *suite.T, rule string, err error) {
	if suite.Refused(err) == nil && errors.Is(err, errors.ErrUnsupported) {
		t.Saw(rule[len("VR-"):], err)
		return
	}
	refusedBy(t, rule, err)
}

func resizeKeeps(t *suite.T) {
	cq := newCQ(t)
	n := nearOn(t, newPD(t), far.RC, cq, cq)
	n.writes(0, 8, verbs.SendSignaled)
	n.post(8)
	was, polled := cq.Size(), 0
	for _, size := range []int{2*was + 1, 4 * was} { // with completions in it, or on their way
		succeeded(t, cq, polled, polled+1)
		polled++
		t.OK("a larger size", cq.Resize(size))
		if cq.Size() < size {
			t.Errorf("asked for %d, got %d", size, cq.Size())
		}
	}
	succeeded(t, cq, polled, 8)
	t.OK("the first size", cq.Resize(was))
	n.op("a WRITE", verbs.WCOpcodeRDMAWrite, n.write(0).Add(n.sge(0, 8)))
}

func resizeNot(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t).OrigAttr // so that the bindings know the limit
	cq := must(t.Device().CreateCQ(4, nil, 0))(t)
	was := cq.Size()
	mayBreak(t, "no room", cq.Resize(0), "VR-ibv_resize_cq-cqe-1302", syscall.EINVAL)
	mayBreak(t, "less than no room", cq.Resize(-1), "VR-ibv_resize_cq-cqe-1302", syscall.EINVAL)
	if err := cq.Resize(int(attr.MaxCQE) + 1); err == nil || !strings.Contains(err.Error(), "VR-ibv_resize_cq-cqe-1303") {
		t.Errorf("more than max_cqe is not refused by its rule: %v", err)
	}
	is(t, "the size after a refused change", cq.Size(), was)
	t.OK("Close", cq.Close())
}

// resizeSmaller takes room away from a queue that is empty, and then from one with 8 completions in it. That they are in it shows the READ
// behind them, which has no completion of its own.
func resizeSmaller(t *suite.T) {
	cq := must(t.Device().CreateCQ(4*depth, nil, 0))(t)
	t.OK("less room in an empty queue", cq.Resize(depth))
	was := cq.Size()
	if was < depth || was >= 4*depth {
		t.Errorf("asked for %d, got %d", depth, was)
	}
	n := nearOn(t, newPD(t), far.RC, cq, cq)
	fill(n.buf[:64], 7)
	clear(n.buf[512:576])
	n.writes(0, 8, verbs.SendSignaled)
	n.send.WR(8).Read(8, n.link.To.Base, n.link.To.RKey).Add(n.sge(512, 64))
	n.post(9)
	until(t, "the requests are carried out", func() bool {
		time.Sleep(time.Millisecond)
		return string(n.buf[512:576]) == string(n.buf[:64])
	})
	t.Errno("less room than there are completions", cq.Resize(1), syscall.EINVAL)
	is(t, "the size after a refused change", cq.Size(), was)
	succeeded(t, cq, 0, 8)
	t.OK("less room in the empty queue", cq.Resize(1))
}

func portSpeed(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t).OrigAttr
	speed, err := t.Device().QueryPortSpeed(1)
	if !lacks(t, "a port", err) && speed == 0 {
		t.Errorf("port 1 has no speed")
	}
	refusedOrAbsent(t, "VR-ibv_query_port_speed-port_num-1326", errorOf(t.Device().QueryPortSpeed(0)))
	refusedOrAbsent(t, "VR-ibv_query_port_speed-port_num-1327", errorOf(t.Device().QueryPortSpeed(uint32(attr.PhysPortCnt)+1)))
}

func clockRuns(t *suite.T) {
	a, b := must(t.Device().QueryRTValues())(t), must(t.Device().QueryRTValues())(t)
	if a.RawClock == 0 || b.RawClock < a.RawClock {
		t.Errorf("the clock is at %d, then at %d", a.RawClock, b.RawClock)
	}
}

func dataInOrder(t *suite.T) {
	qp := queuePairOf(t, verbs.QPTypeRC)
	for _, op := range []verbs.WROpcode{verbs.WROpcodeSend, verbs.WROpcodeRDMAWrite, verbs.WROpcodeRDMARead} {
		all, err := qp.QueryDataInOrder(op, verbs.DataInOrderQueryReturnCaps|verbs.DataInOrderQueryDeviceOnly)
		if lacks(t, "all guarantees", err) {
			return
		}
		whole := must(qp.QueryDataInOrder(op, verbs.DataInOrderQueryDeviceOnly))(t)
		if all&^(verbs.DataInOrderWholeMsg|verbs.DataInOrderAligned128Bytes) != 0 || whole != all&verbs.DataInOrderWholeMsg {
			t.Errorf("%v: all guarantees are %#x, and the one of whole messages %#x", op, uint32(all), uint32(whole))
		}
		is(t, fmt.Sprintf("%v, an unknown option", op), must(qp.QueryDataInOrder(op, 1<<20))(t), 0)
	}
}

func rateLimit(t *suite.T) {
	qp := queuePairOf(t, verbs.QPTypeRC)
	refusedBy(t, "VR-ibv_modify_qp_rate_limit-state-1314", qp.ModifyRateLimit(verbs.NewQPRateLimitAttr(1000)))
	refusedBy(t, "VR-ibv_modify_qp_rate_limit-max_burst_sz-1312", qp.ModifyRateLimit(verbs.NewQPRateLimitAttr(0).MaxBurstSize(1024)))
	refusedBy(t, "VR-ibv_modify_qp_rate_limit-typical_pkt_sz-1313", qp.ModifyRateLimit(verbs.NewQPRateLimitAttr(0).TypicalPacketSize(1024)))
}

func ece(t *suite.T) {
	qp := queuePairOf(t, verbs.QPTypeRC)
	refusedOrAbsent(t, "VR-ibv_set_ece-vendor_id-1320", qp.SetECE(verbs.NewECEAttr(0, 1)))
	is, err := qp.QueryECE()
	if lacks(t, "the options of the device", err) {
		lacks(t, "options of some vendor", qp.SetECE(verbs.NewECEAttr(0x15b3, 0)))
		return
	}
	t.OK("its own options", qp.SetECE(verbs.NewECEAttr(is.VendorID, is.Options)))
}

// forkStatus asks a library that has registered memory already, in most runs: then 44.0 answers EINVAL although nothing is needed.
func forkStatus(t *suite.T) {
	status, err := t.Lib().IsForkInitialized()
	if lacks(t, "the status", err) {
		return
	}
	if status > verbs.ForkStatusUnneeded {
		t.Errorf("status %d", status)
	}
	fails(t, "ForkInit", t.Lib().ForkInit(), nil, syscall.EINVAL)
}

func dmaHandle(t *suite.T) {
	for _, c := range []struct {
		rule string
		attr *verbs.DMAHInitAttr
	}{
		{"VR-ibv_alloc_dmah-ph-1341", verbs.NewDMAHInitAttr(4)},
		{"VR-ibv_alloc_dmah-comp_mask-1336", verbs.NewDMAHInitAttr(0).CPUID(0)},
		{"VR-ibv_alloc_dmah-comp_mask-1337", verbs.NewDMAHInitAttr(0).TPHMemType(verbs.TPHMemTypeVM)},
	} {
		refusedOrAbsent(t, c.rule, errorOf(t.Device().AllocDMAH(c.attr)))
	}
	h, err := t.Device().AllocDMAH(verbs.NewDMAHInitAttr(1))
	if lacks(t, "a hint", err) {
		return
	}
	mr := must(newPD(t).RegMREx(verbs.NewMRInitAttr(page, rw).Memory(buffer(t, page)).DMAH(h)))(t)
	inUse(t, h.Close(), "MR")
	t.OK("Close of the region", mr.Close())
	t.OK("Close", h.Close())
}

func exportDM(t *suite.T) {
	dm := newDM(t, page)
	fd, err := dm.ExportDMABufFD()
	if lacks(t, "a descriptor", err) {
		return
	}
	t.OK("closing the descriptor", unix.Close(fd))
	t.OK("Close", dm.Close())
}
