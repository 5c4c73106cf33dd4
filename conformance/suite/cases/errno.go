//go:build linux

package cases

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// failing is a verb with a call that fails when the verb does. prepare makes what the call needs, before the verb is told to
// fail.
type failing struct {
	n       int
	verb    string
	page    string
	prepare func(t *suite.T) func() error
	copies  bool // a copy: its errors are made once and name the copy
}

// errno has a case for each verb: whatever way C has to say that it failed, the errno that it failed with arrives, and the
// same call works once the verb works again.
func errno() []suite.Case {
	var out []suite.Case
	for _, f := range failings() {
		out = append(out, suite.Case{ID: id("err", f.n), Family: "errors", Title: "the errno of " + f.verb + " arrives", Page: f.page,
			Needs: append(needs(suite.Inject), verbNeeds[f.verb]...),
			Run: func(t *suite.T) {
				call := f.prepare(t)
				for _, e := range []syscall.Errno{syscall.EIO, syscall.ENOMEM, syscall.EPERM} {
					need(t, t.Soft().Fail(f.verb, 1, e))
					err := call()
					if f.copies {
						t.Saw(f.verb, err)
						if !errors.Is(err, e) {
							t.Errorf("%v arrives as %v", e, err)
						}
						continue
					}
					t.Errno(f.verb, err, e)
				}
				ok(t, "once it works again", call())
			}})
	}
	return append(out, suite.Case{ID: "CF-err-0101", Family: "errors", Title: "not supported, in three errnos, is one error",
		Page: "ibv_alloc_pd", Needs: needs(suite.Inject),
		Run: func(t *suite.T) {
			for _, e := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP, syscall.EPROTONOSUPPORT} {
				ok(t, "Fail", t.Soft().Fail("ibv_alloc_pd", 1, e))
				if _, err := t.Device().AllocPD(); !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, e) {
					t.Errorf("%v: %v", e, err)
				}
			}
		}})
}

// verbNeeds is what the calls of a verb need beside a way to make them fail.
var verbNeeds = map[string][]suite.Capability{
	"ibv_reg_mr_ex":           {suite.MREx},
	"ibv_reg_dmabuf_mr":       {suite.DMABuf, suite.DMABufMemory},
	"ibv_rereg_mr":            {suite.ReregAccess},
	"ibv_alloc_null_mr":       {suite.NullMR},
	"ibv_advise_mr":           {suite.Advise},
	"ibv_alloc_td":            {suite.TD},
	"ibv_dealloc_td":          {suite.TD},
	"ibv_alloc_parent_domain": {suite.ParentDomain},
	"ibv_alloc_dm":            {suite.DM},
	"ibv_free_dm":             {suite.DM},
	"ibv_reg_dm_mr":           {suite.DM},
	"ibv_memcpy_to_dm":        {suite.DM},
	"ibv_memcpy_from_dm":      {suite.DM},
	"ibv_import_device":       {suite.Import},
	"ibv_import_pd":           {suite.Import},
	"ibv_import_mr":           {suite.Import},
	"ibv_import_dm":           {suite.DM, suite.Import, suite.ImportDM},
}

func failings() []failing {
	return []failing{
		{1, "ibv_open_device", "ibv_open_device", func(t *suite.T) func() error {
			return func() error {
				dev, err := t.Lib().OpenDevice(t.Name())
				if err == nil {
					err = dev.Close()
				}
				return err
			}
		}, false},
		{2, "ibv_close_device", "ibv_open_device", func(t *suite.T) func() error { return t.Open().Close }, false},
		{3, "ibv_query_device", "ibv_query_device", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().QueryDevice(); return err }
		}, false},
		{4, "ibv_query_device_ex", "ibv_query_device_ex", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().QueryDeviceEx(); return err }
		}, false},
		{5, "ibv_query_port", "ibv_query_port", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().QueryPort(1); return err }
		}, false},
		{6, "ibv_alloc_pd", "ibv_alloc_pd", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().AllocPD(); return err }
		}, false},
		{7, "ibv_dealloc_pd", "ibv_alloc_pd", func(t *suite.T) func() error { return newPD(t).Close }, false},
		{8, "ibv_reg_mr", "ibv_reg_mr", func(t *suite.T) func() error {
			pd := newPD(t)
			return func() error { _, err := pd.RegMR(make([]byte, 64), 0); return err }
		}, false},
		{9, "ibv_dereg_mr", "ibv_reg_mr", func(t *suite.T) func() error { return must(newPD(t).RegMR(make([]byte, 64), 0))(t).Close }, false},
		{10, "ibv_reg_mr_ex", "ibv_reg_mr", func(t *suite.T) func() error {
			pd, buf := newPD(t), buffer(t, page)
			return func() error {
				mr, err := pd.RegMREx(verbs.NewMRInitAttr(page, 0).Memory(mem.Addr(buf.Addr(), page)))
				if err == nil {
					err = mr.Close()
				}
				return err
			}
		}, false},
		{11, "ibv_reg_dmabuf_mr", "ibv_reg_mr", func(t *suite.T) func() error {
			pd, fd := newPD(t), must(suite.DMABufFD(t, page))(t)
			t.Cleanup(func() { ok(t, "closing the descriptor", unix.Close(fd)) })
			return func() error { _, err := pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: page}, 0, 0); return err }
		}, false},
		{12, "ibv_rereg_mr", "ibv_rereg_mr", func(t *suite.T) func() error {
			mr := must(newPD(t).RegMR(make([]byte, 64), 0))(t)
			return func() error { return mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessLocalWrite)) }
		}, false},
		{13, "ibv_alloc_null_mr", "ibv_alloc_null_mr", func(t *suite.T) func() error {
			pd := newPD(t)
			return func() error { _, err := pd.AllocNullMR(); return err }
		}, false},
		{14, "ibv_advise_mr", "ibv_advise_mr", func(t *suite.T) func() error {
			pd, buf := newPD(t), buffer(t, page)
			mr := must(pd.RegMRFrom(mem.Addr(buf.Addr(), page), verbs.MRAccessOnDemand))(t)
			t.Cleanup(func() { _ = mr.Close() })
			return func() error {
				return pd.AdviseMR(verbs.AdviseMRAdvicePrefetch, 0, []verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: mr.LKey()}})
			}
		}, false},
		{15, "ibv_alloc_td", "ibv_alloc_td", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().AllocTD(); return err }
		}, false},
		{16, "ibv_dealloc_td", "ibv_alloc_td",
			func(t *suite.T) func() error { return must(t.Device().AllocTD())(t).Close }, false},
		{17, "ibv_alloc_parent_domain", "ibv_alloc_parent_domain", func(t *suite.T) func() error {
			pd := newPD(t)
			return func() error { _, err := t.Device().AllocParentDomain(verbs.NewParentDomainAttr(pd)); return err }
		}, false},
		{18, "ibv_alloc_dm", "ibv_alloc_dm", func(t *suite.T) func() error {
			return func() error { _, err := t.Device().AllocDM(verbs.NewAllocDMAttr(64)); return err }
		}, false},
		{19, "ibv_free_dm", "ibv_alloc_dm", func(t *suite.T) func() error { return newDM(t, 64).Close }, false},
		{20, "ibv_reg_dm_mr", "ibv_alloc_dm", func(t *suite.T) func() error {
			pd, dm := newPD(t), newDM(t, 64)
			return func() error { _, err := pd.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased); return err }
		}, false},
		{21, "ibv_memcpy_to_dm", "ibv_alloc_dm", func(t *suite.T) func() error {
			dm := newDM(t, 64)
			return func() error { _, err := dm.WriteAt(make([]byte, 64), 0); return err }
		}, true},
		{22, "ibv_memcpy_from_dm", "ibv_alloc_dm", func(t *suite.T) func() error {
			dm := newDM(t, 64)
			return func() error { _, err := dm.ReadAt(make([]byte, 64), 0); return err }
		}, true},
		{23, "ibv_import_device", "ibv_import_device", func(t *suite.T) func() error {
			return func() error {
				dev, err := t.Lib().ImportDevice(t.Device().CmdFD())
				if err != nil {
					return err
				}
				return dev.Close()
			}
		}, false},
		{24, "ibv_import_dm", "ibv_import_dm", func(t *suite.T) func() error {
			dm, other := newDM(t, 64), importer(t)
			return func() error {
				imported, err := other.ImportDM(dm.Handle(), 64)
				if err == nil {
					err = imported.Close()
				}
				return err
			}
		}, false},
		{26, "ibv_import_pd", "ibv_import_pd", func(t *suite.T) func() error {
			pd, other := newPD(t), importer(t)
			return func() error {
				imported, err := other.ImportPD(pd.Handle())
				if err == nil {
					err = imported.Close()
				}
				return err
			}
		}, false},
		{27, "ibv_import_mr", "ibv_import_mr", func(t *suite.T) func() error {
			pd := newPD(t)
			mr := must(pd.RegMR(make([]byte, 64), 0))(t)
			far := must(importer(t).ImportPD(pd.Handle()))(t)
			return func() error {
				imported, err := far.ImportMR(mr.Handle())
				if err == nil {
					err = imported.Close()
				}
				return err
			}
		}, false},
		{25, "ibv_get_device_list", "ibv_get_device_list", func(t *suite.T) func() error {
			return func() error { _, err := t.Lib().Devices(); return err }
		}, false},
	}
}
