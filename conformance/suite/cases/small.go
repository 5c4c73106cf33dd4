//go:build linux && cgo

package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// small are the cases of objects that are made and closed, and of groups of multicast.
func small() []suite.Case {
	return []suite.Case{
		of("CF-xrcd-0001", "a domain of no file", "ibv_open_xrcd", xrcdAlone, suite.XRC),
		of("CF-xrcd-0002", "a domain of a file: made, opened again, and not made twice", "ibv_open_xrcd", xrcdOfFile, suite.XRC),
		of("CF-mw-0001", "a window has a key of its own and keeps its domain", "ibv_alloc_mw", windows, suite.MW),
		of("CF-mw-0002", "a window of no type", "ibv_alloc_mw", noWindow, suite.MW).Ruled("VR-ibv_alloc_mw-type-0737"),
		of("CF-mcast-0001", "attached, attached again, detached", "ibv_attach_mcast", groups, suite.Multicast).Ruled(
			"VR-ibv_destroy_qp-mcasts-0309"),
		of("CF-mcast-0002", "a connected queue pair, and a group that is none", "ibv_attach_mcast", noGroup, suite.Multicast).Ruled(
			"VR-ibv_attach_mcast-qp-0745"),
		of("CF-wq-0001", "through its states, and kept by nothing but itself", "ibv_create_wq", workQueue, suite.WQ),
		of("CF-wq-0002", "changes that are none, and states that it is not in", "ibv_modify_wq", noChange, suite.WQ).Ruled(
			"VR-ibv_modify_wq-attr_mask-0789", "VR-ibv_modify_wq-wq_state-0792"),
		of("CF-moderate-0001", "an event for several completions", "ibv_modify_cq", moderated, suite.Moderation).Ruled(
			"VR-ibv_modify_cq-attr_mask-0778"),
		of("CF-counters-0001", "counters of no flow cannot be read", "ibv_create_counters", newCounters, suite.Counters).Ruled(
			"VR-ibv_read_counters-ncounters-0758"),
	}
}

func xrcdAlone(t *suite.T) {
	a := must(t.Device().OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT)))(t)
	b := must(t.Device().OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT|syscall.O_EXCL)))(t)
	is(t, "the device of the domain", a.Device(), t.Device())
	t.OK("Close of one", a.Close())
	fails(t, "second Close", a.Close(), os.ErrClosed)
	t.OK("Close of the other", b.Close())
}

// domainFile makes a file for a domain.
func domainFile(t *suite.T) *os.File {
	dir := must(os.MkdirTemp("", "xrcd"))(t)
	f := must(os.Create(filepath.Join(dir, "domain")))(t)
	t.Cleanup(func() {
		f.Close()
		t.OK("removing the folder", os.RemoveAll(dir))
	})
	return f
}

func xrcdOfFile(t *suite.T) {
	f := domainFile(t)
	fd := int(f.Fd())
	open := func(flags int) (*verbs.XRCD, error) { return t.Device().OpenXRCD(verbs.NewXRCDInitAttr(fd, flags)) }
	t.Errno("a domain that is not there", errorOf(open(0)), syscall.EAGAIN)
	first := must(open(syscall.O_CREAT))(t)
	second := must(open(0))(t)
	t.Errno("a domain that is there", errorOf(open(syscall.O_CREAT|syscall.O_EXCL)), syscall.EINVAL)
	t.OK("closing the file", f.Close())
	t.Errno("a file that is closed", errorOf(open(0)), syscall.EBADF)
	t.OK("Close of the first", first.Close())
	t.OK("Close of the second", second.Close())
}

func windows(t *suite.T) {
	pd := newPD(t)
	keys := map[uint32]bool{}
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2, verbs.MWType2} {
		w := must(pd.AllocMW(typ))(t)
		if w.PD() != pd || w.RKey() == 0 || keys[w.RKey()] {
			t.Errorf("a window of type %d has the key %#x", typ, w.RKey())
		}
		keys[w.RKey()] = true
		if typ == verbs.MWType1 {
			fails(t, "Close of the domain of a window", pd.Close(), syscall.EBUSY)
			t.OK("Close", w.Close())
			fails(t, "second Close", w.Close(), os.ErrClosed)
		}
	}
	t.OK("CloseAll of the domain", pd.CloseAll())
}

func noWindow(t *suite.T) {
	lib := without(t)
	for _, typ := range []verbs.MWType{0, 3} {
		what := fmt.Sprintf("type %d", typ)
		err := errorOf(newPD(t).AllocMW(typ))
		if !slices.Contains(suite.Refused(err), "VR-ibv_alloc_mw-type-0737") {
			t.Errorf("%s: not refused by the rule: %v", what, err)
		}
		bare(t, what, lib.MW(int(typ)), syscall.EINVAL, syscall.EOPNOTSUPP)
	}
}

// queuePairOf makes a queue pair of a type.
func queuePairOf(t *suite.T, typ verbs.QPType) *verbs.QP {
	cq := must(t.Device().CreateCQ(1, nil, 0))(t)
	return must(newPD(t).CreateQP(suite.OneEach(typ, cq)))(t)
}

// anyGroup is a group of multicast that nobody else is in.
var anyGroup = verbs.GID{0: 0xff, 1: 0x12, 14: 0xca, 15: 0xfe}

func groups(t *suite.T) {
	qp := queuePairOf(t, verbs.QPTypeUD)
	t.Errno("detached without being in it", qp.DetachMcast(anyGroup, 0), syscall.EINVAL)
	t.OK("attached", qp.AttachMcast(anyGroup, 0))
	t.OK("attached again", qp.AttachMcast(anyGroup, 0))
	t.Errno("destroyed while it is in a group", qp.Close(), syscall.EBUSY)
	t.OK("detached", qp.DetachMcast(anyGroup, 0))
	t.Errno("detached again", qp.DetachMcast(anyGroup, 0), syscall.EINVAL)
	need(t, qp.AttachMcast(anyGroup, 0))
	t.OK("Close", qp.CloseAll())
}

func noGroup(t *suite.T) {
	refusedBy(t, "VR-ibv_attach_mcast-qp-0745", queuePairOf(t, verbs.QPTypeRC).AttachMcast(anyGroup, 0))
	qp := queuePairOf(t, verbs.QPTypeUD)
	t.Errno("the GID of one port", qp.AttachMcast(verbs.GID{0: 0xfe, 1: 0x80, 15: 1}, 0), syscall.EINVAL)
}

func newCounters(t *suite.T) {
	c := must(t.Device().CreateCounters())(t)
	values := []uint64{7, 7}
	t.Errno("Read without a flow", c.Read(values, 0), syscall.EINVAL)
	refusedBy(t, "VR-ibv_read_counters-ncounters-0758", c.Read(nil, 0))
	t.OK("Close", c.Close())
	fails(t, "Read after Close", c.Read(values, verbs.ReadCountersPreferCached), os.ErrClosed)
}

// newWQ makes a work queue.
func newWQ(t *suite.T) *verbs.WQ {
	cq := must(t.Device().CreateCQ(1, nil, 0))(t)
	return must(t.Device().CreateWQ(verbs.NewWQInitAttr(newPD(t), cq).MaxWR(1).MaxSGE(1).Flags(0)))(t)
}

func workQueue(t *suite.T) {
	wq := newWQ(t)
	t.Errno("Close of the domain of a queue", wq.PD().Close(), syscall.EBUSY)
	for _, to := range []verbs.WQState{verbs.WQStateRdy, verbs.WQStateErr, verbs.WQStateReset, verbs.WQStateRdy} {
		t.OK(to.String(), wq.Modify(verbs.NewWQAttr().State(to)))
	}
	t.OK("Close", wq.Close())
	fails(t, "Modify after Close", wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy)), os.ErrClosed)
}

func noChange(t *suite.T) {
	wq := newWQ(t)
	refusedBy(t, "VR-ibv_modify_wq-attr_mask-0789", wq.Modify(verbs.NewWQAttr()))
	refusedBy(t, "VR-ibv_modify_wq-wq_state-0792", wq.Modify(verbs.NewWQAttr().State(verbs.WQStateUnknown)))
	if err := wq.Modify(verbs.NewWQAttr().CurState(verbs.WQStateErr).State(verbs.WQStateRdy)); err == nil {
		t.Errorf("a queue in RESET changes from ERR")
	}
	if _, err := t.Device().CreateWQ(verbs.NewWQInitAttr(wq.PD(), nil).MaxWR(1)); err == nil {
		t.Errorf("a queue without a completion queue is made")
	}
}

func moderated(t *suite.T) {
	cq := must(t.Device().CreateCQ(16, nil, 0))(t)
	t.OK("8 completions or 100 microseconds", cq.Modify(verbs.NewModifyCQAttr().Count(8).Period(100)))
	t.OK("none", cq.Modify(verbs.NewModifyCQAttr().Count(0).Period(0)))
	refusedBy(t, "VR-ibv_modify_cq-attr_mask-0778", cq.Modify(verbs.NewModifyCQAttr()))
}
