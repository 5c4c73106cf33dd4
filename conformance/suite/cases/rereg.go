//go:build linux

package cases

import (
	"errors"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func rereg() []suite.Case {
	change := shared("ibv_rereg_mr")
	return []suite.Case{
		change("CF-rer-0001", "other memory", reregMemory, suite.ReregMemory).Ruled("VR-ibv_rereg_mr-addr-0176", "VR-ibv_rereg_mr-length-0177"),
		change("CF-rer-0002", "another protection domain", reregPD, suite.ReregPD).Ruled("VR-ibv_rereg_mr-pd-0175"),
		change("CF-rer-0003", "other access", reregAccess, suite.ReregAccess).Ruled("VR-ibv_rereg_mr-access-0183"),
		change("CF-rer-0004", "all three at once", reregAll, suite.ReregMemory, suite.ReregPD, suite.ReregAccess).Ruled(
			"VR-ibv_rereg_mr-flags-0173"),
		change("CF-rer-0005", "a change that the device lacks leaves the region as it is", reregLacking),
	}
}

func reregMemory(t *suite.T) {
	pd := newPD(t)
	old, next := must(mem.New(page))(t), must(mem.New(2*page))(t)
	mr := must(pd.RegMRFrom(old, rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).Memory(next)))
	ok(t, "closing the old buffer", old.Close())
	fails(t, "Close of the new buffer", next.Close(), syscall.EBUSY)
	is(t, "Length", mr.Length(), 2*page)
	is(t, "Addr", mr.Addr(), next.Addr())
	use(t, made{mr, next.Bytes(), uint64(next.Addr())})
	ok(t, "closing the new buffer", next.Close())
}

func reregPD(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	mr := must(pd.RegMR(make([]byte, page), rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).PD(other)))
	is(t, "PD", mr.PD(), other)
	ok(t, "Close of the old domain", pd.Close())
	fails(t, "Close of the new domain", other.Close(), syscall.EBUSY)
	ok(t, "Close", mr.Close())
	ok(t, "Close of the new domain", other.Close())
}

func reregAccess(t *suite.T) {
	pd := newPD(t)
	buf := make([]byte, page)
	mr := must(pd.RegMR(buf, rw))(t)
	need(t, mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessRemoteRead)))
	if p := t.PeerOf(pd); p != nil {
		p.Write("write without the right", mr.RKey(), uint64(mr.Addr()), []byte("no"), verbs.WCStatusRemAccessErr)
		p.Read("read", mr.RKey(), uint64(mr.Addr()), make([]byte, 2))
	}
	needed(t, "back", mr.Rereg(new(verbs.MRChange).Access(rw)))
	use(t, made{mr, buf, uint64(mr.Addr())})
}

func reregAll(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	next := must(mem.New(page))(t)
	mr := must(pd.RegMR(make([]byte, page), 0))(t)
	need(t, mr.Rereg(new(verbs.MRChange).PD(other).Access(rw).Memory(next)))
	ok(t, "Close of the old domain", pd.Close())
	use(t, made{mr, next.Bytes(), uint64(next.Addr())})
	ok(t, "closing the new buffer", next.Close())
	ok(t, "Close of the new domain", other.Close())
}

func reregLacking(t *suite.T) {
	pd, other := newPD(t), newPD(t)
	buf := buffer(t, 2*page)
	mr := registered(t, pd, mem.Addr(buf.Addr(), page), rw)
	for _, l := range []struct {
		c      suite.Capability
		change *verbs.MRChange
	}{{suite.ReregMemory, new(verbs.MRChange).Memory(mem.Addr(buf.Addr()+page, page))}, {suite.ReregPD, new(verbs.MRChange).PD(other)},
		{suite.ReregAccess, new(verbs.MRChange).Access(0)}} {
		if t.Has(l.c) {
			continue
		}
		failsAs(t, string(l.c), mr.Rereg(l.change), errors.ErrUnsupported)
	}
	if !t.Has(suite.ReregPD) {
		is(t, "PD", mr.PD(), pd)
	}
	use(t, made{mr, buf.Bytes()[:page], uint64(buf.Addr())})
}
