//go:build linux && cgo

package cases

import (
	"cmp"
	"errors"
	"io"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// failing is a verb with a call that fails when the verb does. prepare makes what the call needs, before the verb is told to
// fail.
type failing struct {
	n       int
	verb    string
	page    string // the verb's own when empty
	needs   []suite.Capability
	prepare func(t *suite.T) func() error
	copies  bool // a copy: its errors are made once and name the copy
}

// errno has a case for each verb: whatever way C has to say that it failed, the errno that it failed with arrives, and the
// same call works once the verb works again.
func errno() []suite.Case {
	var out []suite.Case
	for _, f := range failings() {
		out = append(out, of(id("err", f.n), "the errno of "+f.verb+" arrives", cmp.Or(f.page, f.verb), func(t *suite.T) {
			call := f.prepare(t)
			for _, e := range []syscall.Errno{syscall.EIO, syscall.ENOMEM, syscall.EPERM} {
				need(t, t.Soft().Fail(f.verb, 1, e))
				err := call()
				if !f.copies {
					t.Errno(f.verb, err, e)
				} else if t.Saw(f.verb, err); !errors.Is(err, e) {
					t.Errorf("%v arrives as %v", e, err)
				}
			}
			t.OK("once it works again", call())
		}, append(needs(suite.Inject), f.needs...)...))
	}
	return append(out, of("CF-err-0101", "not supported, in three errnos, is one error", "ibv_alloc_pd", func(t *suite.T) {
		for _, e := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPROTONOSUPPORT} {
			t.OK("Fail", t.Soft().Fail("ibv_alloc_pd", 1, e))
			if _, err := t.Device().AllocPD(); !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, e) {
				t.Errorf("%v: %v", e, err)
			}
		}
	}, suite.Inject))
}

// on makes an object for the call that fails. result is a call of it that has a result too.
func on[O any](make func(*suite.T) O, call func(O) error) func(*suite.T) func() error {
	return func(t *suite.T) func() error {
		made := make(t)
		return func() error { return call(made) }
	}
}

func result[O, R any](call func(O) (R, error)) func(O) error {
	return func(o O) error { return errorOf(call(o)) }
}

// closes makes an object and closes it.
func closes[C io.Closer](made C, err error) error {
	if err != nil {
		return err
	}
	return made.Close()
}

func failings() []failing {
	importing, dm := needs(suite.Import), needs(suite.DM)
	lib, dev := (*suite.T).Lib, (*suite.T).Device
	smallDM := func(t *suite.T) *verbs.DM { return newDM(t, 64) }
	return []failing{
		{n: 1, verb: "ibv_open_device", prepare: func(t *suite.T) func() error {
			return func() error { return closes(t.Lib().OpenDevice(t.Name())) }
		}},
		{n: 2, verb: "ibv_close_device", page: "ibv_open_device", prepare: on((*suite.T).Open, (*verbs.Device).Close)},
		{n: 3, verb: "ibv_query_device", prepare: on(dev, result((*verbs.Device).QueryDevice))},
		{n: 4, verb: "ibv_query_device_ex", prepare: on(dev, result((*verbs.Device).QueryDeviceEx))},
		{n: 5, verb: "ibv_query_port", prepare: on(dev, func(dev *verbs.Device) error { return errorOf(dev.QueryPort(1)) })},
		{n: 6, verb: "ibv_alloc_pd", prepare: on(dev, result((*verbs.Device).AllocPD))},
		{n: 7, verb: "ibv_dealloc_pd", page: "ibv_alloc_pd", prepare: on(newPD, (*verbs.PD).Close)},
		{n: 8, verb: "ibv_reg_mr", prepare: on(newPD, func(pd *verbs.PD) error { return errorOf(pd.RegMR(make([]byte, 64), 0)) })},
		{n: 9, verb: "ibv_dereg_mr", page: "ibv_reg_mr", prepare: on(smallMR, (*verbs.MR).Close)},
		{n: 10, verb: "ibv_reg_mr_ex", page: "ibv_reg_mr", needs: needs(suite.MREx), prepare: func(t *suite.T) func() error {
			pd, buf := newPD(t), buffer(t, page)
			return func() error {
				return closes(pd.RegMREx(verbs.NewMRInitAttr(page, 0).Memory(mem.Addr(buf.Addr(), page))))
			}
		}},
		{n: 11, verb: "ibv_reg_dmabuf_mr", page: "ibv_reg_mr", needs: needs(suite.DMABuf, suite.DMABufMemory),
			prepare: func(t *suite.T) func() error {
				pd, fd := newPD(t), dmaBuf(t, page)
				return func() error { return errorOf(pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: page}, 0, 0)) }
			}},
		{n: 12, verb: "ibv_rereg_mr", needs: needs(suite.ReregAccess), prepare: on(smallMR, func(mr *verbs.MR) error {
			return mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessLocalWrite))
		})},
		{n: 13, verb: "ibv_alloc_null_mr", needs: needs(suite.NullMR), prepare: on(newPD, result((*verbs.PD).AllocNullMR))},
		{n: 14, verb: "ibv_advise_mr", needs: needs(suite.Advise), prepare: func(t *suite.T) func() error {
			buf := buffer(t, page)
			mr := registered(t, newPD(t), mem.Addr(buf.Addr(), page), verbs.MRAccessOnDemand)
			return func() error {
				return mr.PD().AdviseMR(verbs.AdviseMRAdvicePrefetch, 0, []verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: mr.LKey()}})
			}
		}},
		{n: 15, verb: "ibv_alloc_td", needs: needs(suite.TD), prepare: on(dev, result((*verbs.Device).AllocTD))},
		{n: 16, verb: "ibv_dealloc_td", page: "ibv_alloc_td", needs: needs(suite.TD), prepare: on(newTD, (*verbs.TD).Close)},
		{n: 17, verb: "ibv_alloc_parent_domain", needs: needs(suite.ParentDomain), prepare: on(newPD, func(pd *verbs.PD) error {
			return errorOf(pd.Device().AllocParentDomain(verbs.NewParentDomainAttr(pd)))
		})},
		{n: 18, verb: "ibv_alloc_dm", needs: dm,
			prepare: on(dev, func(dev *verbs.Device) error { return errorOf(dev.AllocDM(verbs.NewAllocDMAttr(64))) })},
		{n: 19, verb: "ibv_free_dm", page: "ibv_alloc_dm", needs: dm, prepare: on(smallDM, (*verbs.DM).Close)},
		{n: 20, verb: "ibv_reg_dm_mr", page: "ibv_alloc_dm", needs: dm, prepare: func(t *suite.T) func() error {
			pd, dm := newPD(t), newDM(t, 64)
			return func() error { return errorOf(pd.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased)) }
		}},
		{n: 21, verb: "ibv_memcpy_to_dm", page: "ibv_alloc_dm", needs: dm, copies: true,
			prepare: on(smallDM, func(dm *verbs.DM) error { return errorOf(dm.WriteAt(make([]byte, 64), 0)) })},
		{n: 22, verb: "ibv_memcpy_from_dm", page: "ibv_alloc_dm", needs: dm, copies: true,
			prepare: on(smallDM, func(dm *verbs.DM) error { return errorOf(dm.ReadAt(make([]byte, 64), 0)) })},
		{n: 23, verb: "ibv_import_device", needs: importing, prepare: func(t *suite.T) func() error {
			return func() error { return closes(t.Lib().ImportDevice(t.Device().CmdFD())) }
		}},
		{n: 24, verb: "ibv_import_dm", needs: needs(suite.DM, suite.Import, suite.ImportDM), prepare: func(t *suite.T) func() error {
			dm, other := newDM(t, 64), importer(t)
			return func() error { return closes(other.ImportDM(dm.Handle(), 64)) }
		}},
		{n: 26, verb: "ibv_import_pd", needs: importing, prepare: func(t *suite.T) func() error {
			pd, other := newPD(t), importer(t)
			return func() error { return closes(other.ImportPD(pd.Handle())) }
		}},
		{n: 27, verb: "ibv_import_mr", needs: importing, prepare: func(t *suite.T) func() error {
			mr := smallMR(t)
			far := must(importer(t).ImportPD(mr.PD().Handle()))(t)
			return func() error { return closes(far.ImportMR(mr.Handle())) }
		}},
		{n: 25, verb: "ibv_get_device_list", prepare: on(lib, result((*verbs.Lib).Devices))},
	}
}

// smallMR registers a few bytes.
func smallMR(t *suite.T) *verbs.MR { return must(newPD(t).RegMR(make([]byte, 64), 0))(t) }
