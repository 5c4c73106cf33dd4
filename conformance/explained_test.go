//go:build linux

package conformance

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// refusal is a request that a queue refuses, and what its error says.
type refusal struct {
	opts   []softverbs.Option
	typ    verbs.QPType // RC when it is 0
	fresh  bool         // in INIT, not in RTS
	fill   func(a *link.End, w verbs.SendWR)
	errno  syscall.Errno
	stream syscall.Errno // of a stream, if it is another
	plain  bool          // streams do not know it
	// what the error of a stream says instead, which C refuses before the device
	streamSays string
	rules      []string // IDs, in order
	says       []string
}

const inlineRule = "sum of wr[2].sg_list[].length 100: INLINE takes at most max_inline_data bytes (max_inline_data is " +
	"64); send less, or leave INLINE out"

// refusals are of request number 2, with wr_id 42; the requests before it are sound.
var refusals = map[string]refusal{
	"in INIT": {fresh: true, errno: syscall.EINVAL, rules: []string{"VR-ibv_post_send-state-0357"},
		says: []string{"qp_type RC, state INIT, max_inline_data 64, max_send_sge 4", "bring the queue pair to QPStateRTS first"}},
	"in INIT, mlx5": {opts: []softverbs.Option{softverbs.LikeMLX5()}, fresh: true, errno: syscall.ENOMEM,
		rules: []string{"VR-ibv_post_send-state-0357"},
		says:  []string{"state INIT", "cannot allocate memory (ENOMEM)"}},
	"inline too large": {errno: syscall.EINVAL, stream: syscall.ENOSPC, rules: []string{"VR-ibv_post_send-send_flags-0345"},
		says: []string{"state RTS", "max_inline_data 64", inlineRule},
		fill: func(a *link.End, w verbs.SendWR) {
			w.SGE(uint64(a.MR.Addr()), 60, a.MR.LKey()).SGE(uint64(a.MR.Addr()), 40, a.MR.LKey()).Flags(verbs.SendInline)
		}},
	"inline too large, mlx5": {opts: []softverbs.Option{softverbs.LikeMLX5()}, errno: syscall.ENOMEM,
		rules: []string{"VR-ibv_post_send-send_flags-0345"},
		fill: func(a *link.End, w verbs.SendWR) {
			w.SGE(uint64(a.MR.Addr()), 4000, a.MR.LKey()).Flags(verbs.SendInline)
		}},
	"inline without address": {errno: syscall.EFAULT, says: []string{"its inline data has a length and no address"},
		fill: func(_ *link.End, w verbs.SendWR) { w.SGE(0, 8, 0).Flags(verbs.SendInline) }},
	"inline, not an address": {errno: syscall.EFAULT, says: []string{"its inline data is to be read at 0x8000000000000000"},
		fill: func(_ *link.End, w verbs.SendWR) { w.SGE(1<<63, 8, 0).Flags(verbs.SendInline) }},
	"inline, beyond all addresses": {errno: syscall.EFAULT, says: []string{"its inline data is to be read at 0xfffffffffffffffc"},
		fill: func(_ *link.End, w verbs.SendWR) { w.SGE(1<<64-4, 8, 0).Flags(verbs.SendInline) }},
	"odd atomic": {errno: syscall.EINVAL, rules: []string{"VR-ibv_post_send-remote_addr-0352", "VR-ibv_post_send-length-0353"},
		says: []string{"wr[2].wr.atomic.remote_addr 0x1001: remote_addr must be a multiple of 8 for an atomic", "wr[2].sg_list[].length 4: "},
		fill: func(a *link.End, w verbs.SendWR) {
			w.FetchAdd(42, 0x1001, a.MR.RKey(), 1).SGE(uint64(a.MR.Addr()), 4, a.MR.LKey())
		}},
	"UD without address": {streamSays: "request 2: the request has no address, which each on a UD", typ: verbs.QPTypeUD, errno: syscall.EINVAL,
		rules: []string{"VR-ibv_post_send-ah-0354"},
		says: []string{"qp_type UD, state RTS",
			"wr[2].wr.ud.ah NULL: a request of a UD queue pair needs an address handle; give the request one that is open"},
		fill: func(a *link.End, w verbs.SendWR) { w.To(nil, 1, 1) }},
	"too many ranges": {errno: syscall.EINVAL, stream: syscall.ENOSPC, rules: []string{"VR-ibv_post_send-num_sge-0349"},
		says: []string{"wr[2].num_sge 5: num_sge is at most max_send_sge, 4; use fewer ranges"},
		fill: func(a *link.End, w verbs.SendWR) {
			for range 5 {
				w.SGE(uint64(a.MR.Addr()), 4, a.MR.LKey())
			}
		}},
	"no rule": {plain: true, opts: []softverbs.Option{softverbs.Fail("ibv_post_send", 1, syscall.EPERM)}, errno: syscall.EPERM,
		says: []string{"state RTS"}},
	"no query": {opts: []softverbs.Option{softverbs.Fail("ibv_query_qp", 0, syscall.EIO)}, errno: syscall.EINVAL, stream: syscall.ENOSPC,
		rules: []string{"VR-ibv_post_send-num_sge-0349"},
		says:  []string{"request 2 (wr_id 42) on a queue pair with max_inline_data 64, max_send_sge 4: "},
		fill: func(a *link.End, w verbs.SendWR) {
			for range 5 {
				w.SGE(uint64(a.MR.Addr()), 4, a.MR.LKey())
			}
		}},
}

// TestRefusedSends asks that the error of a refused request names the request, the rules that it breaks, and the state and limits of its
// queue pair.
func TestRefusedSends(t *testing.T) {
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) { r.try(t) })
	}
}

// ends returns a side of a connection that allows 64 bytes inline, for which the device makes room for four ranges.
func (r refusal) ends(t *testing.T, ops verbs.QPOp) *link.End {
	t.Helper()
	c := link.Default()
	c.SendSGE, c.RecvSGE, c.Inline, c.Ops = 2, 2, 64, ops
	c.RNRRetry = 7 // sends without a receive wait without end
	if r.typ != 0 {
		c.Type = r.typ
	}
	dev := open(t, r.opts...).dev
	if r.fresh {
		return must(c.NewEnd(must(link.First(dev))(t)))(t)
	}
	a, _ := c.Connected(t, dev, dev)
	return a
}

func (r refusal) try(t *testing.T) {
	b := must(verbs.NewSendBatch(4, 5))(t)
	defer b.Close()
	fill := func(a *link.End) {
		if w := b.WR(2).Send(42); r.fill != nil {
			r.fill(a, w)
		}
	}
	a := r.ends(t, 0)
	fill(a)
	posted, err := a.QP.PostSendRange(b.From(2, 2))
	r.check(t, "ibv_post_send", posted, err)
	if r.plain {
		return
	}
	if r.streamSays != "" {
		r.rules, r.says = nil, []string{r.streamSays}
	}
	ops := commands
	if r.typ == verbs.QPTypeUD {
		ops = verbs.QPOpSend
	}
	if r.stream != 0 {
		r.errno = r.stream
	}
	a = r.ends(t, ops)
	fill(a)
	posted, err = must(a.QP.Stream())(t).PostRange(b.From(2, 2))
	r.check(t, "ibv_wr_start", posted, err)
}

// check wants the error of a post of the second half of a batch to say all.
func (r refusal) check(t *testing.T, verb string, posted int, err error) {
	t.Helper()
	var e *verr.Error
	if posted != 0 || !errors.As(err, &e) || !errors.Is(err, r.errno) || errors.Is(err, verbs.ErrQueueFull) {
		t.Errorf("%s: %d posted, %v, want %v", verb, posted, err, r.errno)
		return
	}
	var broken []string
	for _, v := range e.Violations {
		broken = append(broken, v.Rule.ID)
	}
	if !slices.Equal(broken, r.rules) {
		t.Errorf("%v: broken are %v, want %v", err, broken, r.rules)
	}
	request := verb + ": request 2 (wr_id 42) on a queue pair with "
	if verb == "ibv_wr_start" && r.rules == nil { // C has refused it before the device
		request = verb + ": request 2: "
	}
	for _, part := range append([]string{request}, r.says...) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v\ndoes not say %q", err, part)
		}
	}
}

// TestRefusedInBatch has the second of three requests refused: the count is that of the first one.
func TestRefusedInBatch(t *testing.T) {
	a := refusal{}.ends(t, 0)
	b := must(verbs.NewSendBatch(3, 5))(t)
	defer b.Close()
	for i := range 3 {
		b.WR(i).Write(uint64(i)+7, uint64(a.MR.Addr()), a.MR.RKey())
	}
	for range 5 {
		b.WR(1).SGE(uint64(a.MR.Addr()), 4, a.MR.LKey())
	}
	posted, err := a.QP.PostSend(b, 3)
	if posted != 1 || err == nil || !strings.HasPrefix(err.Error(), "ibv_post_send: request 1 (wr_id 8) on ") {
		t.Errorf("%d, %v", posted, err)
	}
}

// TestRefusedReceives posts receives that the queue does not take.
func TestRefusedReceives(t *testing.T) {
	dev := open(t).dev
	at := must(link.First(dev))(t)
	c := link.Default()
	reset := must(c.NewReset(at))(t)
	ready := must(c.NewEnd(at))(t)
	b := must(verbs.NewRecvBatch(1, 2))(t)
	defer b.Close()
	b.WR(0).Recv(9)
	check := func(err error, errno syscall.Errno, parts ...string) {
		t.Helper()
		for _, part := range append(parts, "ibv_post_recv: request 0 (wr_id 9) on a queue pair with qp_type RC, state ") {
			if !errors.Is(err, errno) || !strings.Contains(err.Error(), part) {
				t.Errorf("%v\ndoes not say %q", err, part)
			}
		}
	}
	check(post(reset.QP, b), syscall.EINVAL, "state RESET, max_recv_sge 1",
		"bring the queue pair to QPStateInit first [VR-ibv_post_recv-state-0365]")
	b.WR(0).SGE(1, 1, 1).SGE(1, 1, 1)
	check(post(ready.QP, b), syscall.EINVAL, "state INIT", "wr[0].num_sge 2: num_sge is at most max_recv_sge, 1")
	b.WR(0).Recv(9)
	srq := must(ready.PD.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
	shared := must(ready.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: ready.CQ, RecvCQ: ready.CQ, SRQ: srq, MaxSendWR: 1}))(t)
	if err := shared.Modify(c.Init(at.Port.Number())); err != nil {
		t.Fatal(err)
	}
	check(post(shared, b), syscall.EINVAL, "this queue pair receives from a shared receive queue")
}

// TestQueueFull posts until a queue is full: that is an error of its own, made once, with the index of the first request that is not
// posted; asking for it allocates nothing.
func TestQueueFull(t *testing.T) {
	for name, opts := range map[string][]softverbs.Option{"rxe": nil, "mlx5": {softverbs.LikeMLX5()}} {
		t.Run(name, func(t *testing.T) {
			a := refusal{opts: opts}.ends(t, 0)
			const most = 256
			send, recv := must(verbs.NewSendBatch(most, 1))(t), must(verbs.NewRecvBatch(most, 1))(t)
			defer send.Close()
			defer recv.Close()
			for i := range most {
				send.WR(i).Send(uint64(i)).Flags(verbs.SendSignaled) // no receive is there: it waits
				recv.WR(i).Recv(uint64(i))
			}
			posts := map[string]func() (int, error){
				"ibv_post_send": func() (int, error) { return a.QP.PostSend(send, most) },
				"ibv_post_recv": func() (int, error) { return a.QP.PostRecv(recv, most) },
			}
			all := refusal{opts: opts}.ends(t, commands)
			n, err := must(all.QP.Stream())(t).Post(send, most)
			if n != 0 || !errors.Is(err, verbs.ErrQueueFull) || !strings.HasPrefix(err.Error(), "ibv_wr_start: the queue is full ") {
				t.Errorf("a stream: %d, %v", n, err)
			}
			wcs := make([]verbs.WC, 1)
			if p, n, err := all.QP.PostAndPoll(send.From(0, 1), all.CQ, wcs, 1); p != 1 || n != 0 || err != nil {
				t.Errorf("PostAndPoll of one: %d posted, %d completions, %v", p, n, err)
			}
			p, n, err := all.QP.PostAndPoll(send.From(0, most), all.CQ, wcs, 1)
			if p < 15 || p >= most || n != 0 || !errors.Is(err, verbs.ErrQueueFull) {
				t.Errorf("PostAndPoll: %d posted, %d completions, %v", p, n, err)
			}
			for verb, post := range posts {
				posted, err := post()
				if posted < 16 || posted >= most || !errors.Is(err, verbs.ErrQueueFull) || !errors.Is(err, syscall.ENOMEM) {
					t.Fatalf("%s: %d posted, %v", verb, posted, err)
				}
				if want := verb + ": the queue is full (ENOMEM); take completions from its completion queue, then post the rest"; err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				calls, full := 0, 0
				allocs.None(t, verb, func() {
					calls++
					posted, again := post()
					if posted == 0 && again == err && errors.Is(again, verbs.ErrQueueFull) && errors.Is(again, syscall.ENOMEM) {
						full++
					}
				})
				if full != calls {
					t.Errorf("%s: the same error %d times of %d", verb, full, calls)
				}
			}
		})
	}
}

// TestLintOfRefused makes a call that breaks a lint and that the device refuses: the lint is in its error, and is not reported. A
// connection as it should be breaks none.
func TestLintOfRefused(t *testing.T) {
	b := open(t)
	b.lib.OnLint(func(l *verr.Lint) { t.Errorf("reported: %v", l) })
	_, peer := pair(t, b.dev)
	err := peer.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTR))
	if err == nil || !strings.Contains(err.Error(), "[VR-ibv_modify_qp-attr_mask-0220]") {
		t.Errorf("RTS to RTR: %v", err)
	}
}
