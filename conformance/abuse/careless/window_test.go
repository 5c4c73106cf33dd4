//go:build linux && cgo

package careless

import (
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// bound is a request to bind a window of type 2 of the near end to a region of its own.
func (w *world) bound() (*verbs.MW, *verbs.MR, *verbs.SendBatch, error) {
	mr, err := w.a.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessMWBind)
	if err != nil {
		return nil, nil, nil, err
	}
	mw, err := w.a.PD.AllocMW(verbs.MWType2)
	if err != nil {
		return nil, nil, nil, err
	}
	b := w.sends(1)
	return mw, mr, b, mw.Bind(b.WR(0), verbs.NextRKey(mw.RKey()), verbs.MWBindAttr{
		MR: mr, Addr: mr.IOVA(), Length: 64, Access: verbs.MWAccessRemoteRead,
	})
}

// windowMistakes bind windows and regions that are gone, or belong elsewhere.
func windowMistakes() []mistake {
	closing := func(region bool) func(w *world) error {
		return func(w *world) error {
			mw, mr, b, err := w.bound()
			if err != nil {
				return nil
			}
			if region {
				closed(mr)
			} else {
				closed(mw)
			}
			return result(w.a.QP.PostSend(b, 1))
		}
	}
	ofType := func(typ verbs.MWType, mr func(w *world) *verbs.MR) func(w *world) error {
		return func(w *world) error {
			mw, err := w.a.PD.AllocMW(typ)
			if err != nil {
				return nil
			}
			return w.a.QP.BindMW(mw, verbs.MWBindAttr{MR: mr(w), Length: 8, Access: verbs.MWAccessRemoteRead})
		}
	}
	gone := []string{"request 0", "binds an MW to an MR, and one of them is closed", "MW.Bind"}
	return []mistake{
		{name: "a closed window in a request", says: gone, make: closing(false)},
		{name: "a closed region in a request that binds", says: gone, make: closing(true)},
		{name: "a closed window to bind", says: []string{"MW.* is closed"}, make: func(w *world) error {
			mw, mr, b, err := w.bound()
			if err != nil {
				return nil
			}
			closed(mw)
			return mw.Bind(b.WR(0), 1, verbs.MWBindAttr{MR: mr, Length: 8})
		}},
		{name: "a region of another domain", says: []string{"ibv_bind_mw", "EPERM"},
			make: ofType(verbs.MWType1, func(w *world) *verbs.MR { return w.b.MR })},
		{name: "no region", says: []string{"mr must not be NULL to bind a window"},
			make: ofType(verbs.MWType1, func(*world) *verbs.MR { return nil })},
		{name: "a window of type 2 by the verb", says: []string{"binds only windows of type 1", "window of type 2 by a request"},
			make: ofType(verbs.MWType2, func(w *world) *verbs.MR { return w.a.MR })},
		{name: "the remote address of a bind", says: []string{"binds a memory window has no remote address"}, make: func(w *world) error {
			_, _, b, err := w.bound()
			if err != nil {
				return nil
			}
			b.WR(0).SetRemote(1)
			return nil
		}},
	}
}
