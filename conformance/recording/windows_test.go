//go:build linux && cgo

package recording

import (
	"fmt"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// toWindow builds a request that binds a window, which MW.Bind writes.
var toWindow = command{"ibv_wr_bind_mw", "IBV_QP_EX_WITH_BIND_MW", nil, true}

// sameDomain are objects that a verb takes together only if they are of one protection domain, which the header looks at in C.
var sameDomain = map[string]bool{"MW": true, "MR": true}

// inOneDomain gives an object a domain in C that all of them have.
func (b *bed) inOneDomain(of string, at uint64) {
	b.Helper()
	if sameDomain[of] && !b.rec.Poke("struct "+b.spec.ObjectByGo(of).C, at, "pd", 0x1000) {
		b.Fatalf("%s has no pd", of)
	}
}

// TestWindows posts requests that bind windows, by a post and by a stream of commands.
func TestWindows(t *testing.T) {
	b := open(t)
	w, mwAt := b.handle("MW")
	r, mrAt := b.handle("MR")
	mw, mr := w.Interface().(*verbs.MW), r.Interface().(*verbs.MR)
	batch := must(verbs.NewSendBatch(2, 1))(t)
	var set [2]map[string]string
	for i := range set {
		n := uint64(i)
		info := verbs.MWBindAttr{
			MR: mr, Addr: 0x1122334455660000 + n, Length: 0x2233445566770000 + n, Access: verbs.MWAccess(0x30000 + n),
			ID: 0x4455667788990000 + n, SendFlags: verbs.SendFlags(1 + n),
		}
		if err := mw.Bind(batch.WR(i), uint32(0x50000+n), info); err != nil {
			t.Fatal(err)
		}
		set[i] = map[string]string{"wr_id": fmt.Sprint(0x4455667788990000 + n), "send_flags": fmt.Sprint(1 + n),
			"opcode":  fmt.Sprint(b.constants([]string{"IBV_WR_BIND_MW"})),
			"num_sge": "0", "imm_data": "0", "bind_mw.mw": fmt.Sprint(mwAt), "bind_mw.rkey": fmt.Sprint(0x50000 + n),
			"bind_mw.bind_info.mr":   fmt.Sprint(mrAt),
			"bind_mw.bind_info.addr": fmt.Sprint(0x1122334455660000 + n), "bind_mw.bind_info.length": fmt.Sprint(0x2233445566770000 + n),
			"bind_mw.bind_info.mw_access_flags": fmt.Sprint(0x30000 + n)}
	}
	v, at := b.handle("QP")
	b.setType(at, "IBV_QPT_RC")
	for i := range set {
		must(v.Interface().(*verbs.QP).PostSendRange(batch.From(i, 1)))(t)
		got := b.last("ibv_post_send").In
		for path, x := range set[i] {
			if got["wr."+path] != x {
				t.Errorf("request %d: C sees wr.%s = %s, not %s", i, path, got["wr."+path], x)
			}
		}
		if key := mw.RKey(); key&0xff != uint32(i) {
			t.Errorf("the key is %#x after request %d", key, i)
		}
	}
	s := b.newStream("IBV_QPT_RC", []string{toWindow.flag})
	must(b.rec.Calls())(t)
	must(s.Post(batch, 2))(t)
	var built []expected
	for _, x := range set {
		in := map[string]string{"qp.wr_id": x["wr_id"], "qp.wr_flags": x["send_flags"], "mw": x["bind_mw.mw"], "rkey": x["bind_mw.rkey"],
			"bind_info.mr": x["bind_mw.bind_info.mr"], "bind_info.addr": x["bind_mw.bind_info.addr"],
			"bind_info.length":          x["bind_mw.bind_info.length"],
			"bind_info.mw_access_flags": x["bind_mw.bind_info.mw_access_flags"]}
		call := expected{toWindow.function, map[string]want{"qp": numberWant(s.at), "bind_info": {some: true}}}
		for name, text := range in {
			call.in[name] = want{text: text}
		}
		built = append(built, call)
	}
	s.compareCalls("a stream", s.around("ibv_wr_complete", built))
}
