//go:build linux && cgo

package cases

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func queues() []suite.Case {
	poll := shared("ibv_poll_cq", suite.Peer)
	return []suite.Case{
		of("CF-que-0001", "a completion queue has room for what was asked for", "ibv_create_cq", queueSizes),
		of("CF-que-0002", "a completion queue that cannot be", "ibv_create_cq", noQueue).Ruled(
			"VR-ibv_create_cq-cqe-0279", "VR-ibv_create_cq-cqe-0280", "VR-ibv_create_cq-comp_vector-0281", "VR-ibv_create_cq-comp_vector-0282"),
		poll("CF-que-0003", "a completion queue filled to the last place: nothing is lost, nothing comes twice", fullQueue),
		poll("CF-que-0004", "many requests at once, polled a few at a time", manyRequests),
		of("CF-que-0005", "completions of signaled requests only", "ibv_post_send", signaled, suite.Peer),
		of("CF-que-0006", "completions of every request, where the queue pair is made so", "ibv_create_qp", allSignaled, suite.Peer),
		poll("CF-que-0007", "one completion queue for two queue pairs", sharedQueue),
		of("CF-que-0008", "a queue pair through its states, and back", "ibv_modify_qp", states, suite.Peer).Ruled(
			"VR-ibv_modify_qp-attr_mask-0220"),
		of("CF-que-0009", "destroyed in the wrong order: refused, and what is open is named", "ibv_create_qp", queueOrder).Ruled(
			"VR-ibv_destroy_cq-qps-0284", "VR-ibv_destroy_comp_channel-cqs-0287"),
		of("CF-que-0011", "a queue pair says what was set, in each state", "ibv_query_qp", whatWasSet, suite.Peer),
		of("CF-que-0010", "the entries of the GID table", "ibv_query_gid", gids).Ruled(
			"VR-ibv_query_gid-index-0328", "VR-ibv_query_gid-index-0329"),
	}
}

func queueSizes(t *suite.T) {
	attr := must(t.Device().QueryDevice())(t)
	if attr.MaxCQE < 1 {
		t.Fatalf("max_cqe is %d", attr.MaxCQE)
	}
	for _, size := range []int{1, 2, 63, 64, 1000, int(attr.MaxCQE)} {
		if size > int(attr.MaxCQE) || size > 1<<16 { // more is a test of the machine's memory
			continue
		}
		cq := must(t.Device().CreateCQ(size, nil, 0))(t)
		if cq.Size() < size || cq.Device() != t.Device() {
			t.Errorf("asked for %d, got %d", size, cq.Size())
		}
		idle(t, "a new queue", cq)
		t.OK("Close", cq.Close())
		fails(t, "second Close", cq.Close(), os.ErrClosed)
		fails(t, "a poll after Close", errorOf(cq.PollInto(make([]verbs.WC, 1))), os.ErrClosed)
	}
}

// noQueue asks the bindings, whose rules may refuse, and the library without them, which refuses too.
func noQueue(t *suite.T) {
	lib := without(t)
	attr := must(t.Device().QueryDevice())(t)
	for _, c := range []struct {
		what         string
		size, vector int
	}{{"no room", 0, 0}, {"less than no room", -1, 0}, {"more than max_cqe", int(attr.MaxCQE) + 1, 0},
		{"a vector that is not there", 1, t.Device().NumCompVectors()},
		{"a negative vector", 1, -1}} {
		if err := errorOf(t.Device().CreateCQ(c.size, nil, c.vector)); suite.Refused(err) == nil {
			fails(t, c.what, err, syscall.EINVAL)
		}
		bare(t, c.what, lib.CQ(c.size, c.vector), syscall.EINVAL)
	}
}

// writes fills the send batch with so many WRITEs of 8 bytes, of ids from first on.
func (n *near) writes(first uint64, count int, flags verbs.SendFlags) {
	for i := range count {
		n.send.WR(i).Write(first+uint64(i), n.link.To.Base+uint64(8*i), n.link.To.RKey).Add(n.sge(8*i, 8)).Flags(flags)
	}
}

// fullQueue posts as many requests as the queue has room for, waits until the last has been carried out, and only then polls.
func fullQueue(t *suite.T) {
	cq := newCQ(t)
	room := cq.Size()
	if room > 4096 {
		t.Fatalf("asked for room for %d completions, got %d", depth, room)
	}
	n := nearOn(t, newPD(t), far.RC, cq, cq, func(a *verbs.QPInitAttr) { a.MaxSendWR = uint32(room) })
	fill(n.buf, 1)
	for posted := 0; posted < room; {
		count := min(depth, room-posted)
		n.writes(uint64(posted), count, verbs.SendSignaled)
		n.post(count)
		posted += count
	}
	last := 8 * ((room-1)%depth + 1)
	until(t, "the last WRITE is carried out", func() bool {
		got := must(n.link.Far.Load(t.Context(), 0, last))(t)
		return string(got[last-8:]) == string(n.buf[last-8:last])
	})
	succeeded(t, cq, 0, room)
	idle(t, "after all", cq)
}

// manyRequests sends batches both ways, with more completions than a poll takes.
func manyRequests(t *suite.T) {
	n := newNear(t, far.RC)
	wcs := make([]verbs.WC, 7)
	for round := range 8 {
		for i := range depth {
			n.recv.WR(i).Recv(uint64(round*depth + i)).Add(n.sge(4096+64*i, 64))
			n.farRoom(64)
			n.buf[i] = byte(round + i)
			n.send.WR(i).Send(uint64(round*depth + i)).Add(n.sge(i, 1)).Flags(verbs.SendSignaled)
		}
		n.postRecv(depth)
		n.post(depth)
		for i := range depth {
			if r := n.farGot("a message"); string(r.Data) != string([]byte{byte(round + i)}) {
				t.Fatalf("round %d, message %d: %x", round, i, r.Data)
			}
			n.tell("a message", far.Op{Code: far.Send, Data: []byte{byte(round - i)}})
		}
		for what, cq := range map[string]*verbs.CQ{"sends": n.sends, "receives": n.recvs} {
			next := 0
			until(t, fmt.Sprintf("round %d: %s complete", round, what), func() bool {
				for _, wc := range wcs[:must(cq.PollInto(wcs))(t)] {
					if wc.ID != uint64(round*depth+next) || wc.Status != 0 {
						t.Fatalf("round %d, %s, completion %d: %+v", round, what, next, wc)
					}
					next++
				}
				return next >= depth
			})
		}
		for i := range depth {
			if n.buf[4096+64*i] != byte(round-i) {
				t.Fatalf("round %d: receive %d holds %#x", round, i, n.buf[4096+64*i])
			}
		}
	}
}

func signaled(t *suite.T) {
	n := newNear(t, far.RC)
	for round := range 3 * depth / 8 {
		n.writes(uint64(8*round), 8, 0)
		n.send.WR(7).Flags(verbs.SendSignaled)
		n.post(8)
		n.finished("the eighth request", uint64(8*round+7), verbs.WCOpcodeRDMAWrite)
	}
	idle(t, "after all", n.sends)
}

func allSignaled(t *suite.T) {
	n := newNear(t, far.RC, func(a *verbs.QPInitAttr) { a.SignalAll = true })
	n.writes(0, 8, 0)
	n.post(8)
	for i := range uint64(8) {
		n.finished("a request", i, verbs.WCOpcodeRDMAWrite)
	}
}

func sharedQueue(t *suite.T) {
	cq, pd := must(t.Device().CreateCQ(4*depth, nil, 0))(t), newPD(t)
	a, b := nearOn(t, pd, far.RC, cq, cq), nearOn(t, pd, far.RC, cq, cq)
	if a.qp.Num() == b.qp.Num() {
		t.Fatalf("two queue pairs of number %#x", a.qp.Num())
	}
	a.room(1, 0, 64)
	b.room(1, 0, 64)
	for _, n := range []*near{a, b} {
		n.writes(10, 4, verbs.SendSignaled)
		n.post(4)
		n.tell("a message", far.Op{Code: far.Send, Data: []byte("hello")})
	}
	got := map[string]int{}
	for range 10 {
		wc := wait(t, cq)
		if wc.Status != 0 {
			t.Errorf("%+v", wc)
		}
		got[fmt.Sprint(wc.QPNum, wc.ID)]++
	}
	for _, n := range []*near{a, b} {
		for _, id := range []int{1, 10, 11, 12, 13} {
			if key := fmt.Sprint(n.qp.Num(), id); got[key] != 1 {
				t.Errorf("request %d of queue pair %#x completed %d times", id, n.qp.Num(), got[key])
			}
		}
	}
}

func queueOrder(t *suite.T) {
	pd := newPD(t)
	ch := newChannel(t)
	cq := must(t.Device().CreateCQ(1, ch, 0))(t)
	qp := must(pd.CreateQP(suite.OneEach(verbs.QPTypeRC, cq)))(t)
	if belongs(t, "the queue pair", qp, pd); qp.Num() == 0 {
		t.Errorf("a queue pair of number 0")
	}
	for _, c := range []struct {
		what, holder string
		close        func() error
	}{{"the domain", "QP", pd.Close}, {"the completion queue", "QP", cq.Close}, {"the channel", "CQ", ch.Close},
		{"the device", "PD", t.Device().Close}} {
		failsNaming(t, "Close of "+c.what, c.close(), c.holder, syscall.EBUSY)
	}
	for _, close := range []func() error{qp.Close, cq.Close, ch.Close, pd.Close} {
		t.OK("Close", close())
		fails(t, "second Close", close(), os.ErrClosed)
	}
	fails(t, "Modify after Close", qp.Modify(verbs.NewQPAttr(verbs.QPStateInit)), os.ErrClosed)
}

func gids(t *suite.T) {
	attr := must(t.Device().QueryPort(1))(t)
	used := false
	for i := range min(attr.GIDTblLen, 16) {
		what := fmt.Sprintf("entry %d", i)
		gid, err := t.Device().QueryGID(1, i)
		fails(t, what, err, nil, syscall.ENODATA)
		used = used || gid != verbs.GID{}
		if t.Soft() == nil && err == nil {
			text, err := os.ReadFile(sysfs.Path("class/infiniband", t.Name(), "ports/1/gids", strconv.Itoa(i)))
			needed(t, what+", which the kernel does not show", err)
			is(t, what+", compared with the kernel's", gidText(gid), strings.TrimSpace(string(text)))
		}
	}
	if !used {
		t.Errorf("of %d entries none is used", attr.GIDTblLen)
	}
	for _, bad := range []int{-1, attr.GIDTblLen} {
		if _, err := t.Device().QueryGID(1, bad); err == nil {
			t.Errorf("entry %d of %d: accepted", bad, attr.GIDTblLen)
		}
	}
}

// gidText writes a GID as sysfs does.
func gidText(gid verbs.GID) string {
	var parts []string
	for i := 0; i < len(gid); i += 2 {
		parts = append(parts, fmt.Sprintf("%02x%02x", gid[i], gid[i+1]))
	}
	return strings.Join(parts, ":")
}
