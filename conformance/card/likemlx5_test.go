//go:build linux && cgo

package card

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

var update = flag.Bool("update", false, "write testdata/likemlx5.txt anew")

// asked is a device of the comparison, with its answers in order.
type asked struct {
	dev     *verbs.Device
	pd      *verbs.PD
	cq      *verbs.CQ
	names   []string
	answers map[string]string
}

// say notes an answer: the name of errno, or what was granted.
func (a *asked) say(name string, err error, granted string) {
	var errno syscall.Errno
	switch {
	case err == nil:
	case errors.As(err, &errno):
		granted = unix.ErrnoName(errno)
	default:
		granted = err.Error()
	}
	a.names = append(a.names, name)
	a.answers[name] = granted
}

func (a *asked) deviceMemory() {
	for _, length := range []uint64{1, 4, 63, 64, 65, 1000, 4095, 4096, 4097, 256 << 10, 256<<10 + 1, 1 << 40, 1<<64 - 1} {
		for _, align := range []uint32{0, 1, 6, 12, 13, 31} {
			dm, err := a.dev.AllocDM(verbs.NewAllocDMAttr(length).LogAlignReq(align))
			a.say(fmt.Sprintf("alloc_dm length %d align %d", length, align), err, "ok")
			if err == nil {
				_ = dm.Close()
			}
		}
	}
	dm, err := a.dev.AllocDM(verbs.NewAllocDMAttr(1000))
	if err != nil {
		a.say("alloc_dm", err, "")
		return
	}
	for _, off := range []int64{0, 1, 2, 4, 996, 998, 1000, 1004} {
		for _, n := range []int{1, 2, 3, 4, 8, 1000} {
			_, err := dm.WriteAt(make([]byte, n), off)
			a.say(fmt.Sprintf("memcpy_to_dm %d at %d", n, off), err, "ok")
		}
	}
	for access := range verbs.DMAccess(1 << 7) {
		a.regionOfDM(dm, 0, 1000, access)
	}
	for _, off := range []uint64{0, 1, 8, 999, 1000, 1001} {
		for _, n := range []uint64{0, 1, 8, 1000, 1001, 1<<64 - 1} {
			a.regionOfDM(dm, off, n, verbs.DMAccessZeroBased)
		}
	}
	_ = dm.Close()
}

func (a *asked) regionOfDM(dm *verbs.DM, off, n uint64, access verbs.DMAccess) {
	mr, err := a.pd.RegDMMR(dm, off, n, access)
	a.say(fmt.Sprintf("reg_dm_mr %d at %d access %#x", n, off, uint32(access)), err, "ok")
	if err == nil {
		_ = mr.Close()
	}
}

// regions asks for every combination of the older flags but ON_DEMAND, which the card has not.
func (a *asked) regions() {
	buf := make([]byte, 8192)
	for access := range verbs.MRAccess(1 << 8) {
		if access&verbs.MRAccessOnDemand != 0 {
			continue
		}
		mr, err := a.pd.RegMR(buf[100:200], access)
		a.say(fmt.Sprintf("reg_mr access %#x", uint32(access)), err, "ok")
		if err != nil {
			continue
		}
		if access == 0 {
			a.say("reg_mr has one key for both ends", nil, fmt.Sprint(mr.LKey() == mr.RKey()))
		}
		_ = mr.Close()
	}
}

func (a *asked) queuePair(name string, q verbs.QPInitAttr) {
	q.SendCQ, q.RecvCQ = a.cq, a.cq
	qp, err := a.pd.CreateQP(q)
	granted := ""
	if err == nil {
		_, got, err := qp.Query()
		if err == nil {
			c := got.Cap
			granted = fmt.Sprintf("%d %d %d %d %d", c.MaxSendWR, c.MaxRecvWR, c.MaxSendSGE, c.MaxRecvSGE, c.MaxInlineData)
		}
		_ = qp.Close()
	}
	a.say(name, err, granted)
}

func (a *asked) queuePairs() {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD} {
		for _, wr := range []uint32{0, 1, 2, 5, 16, 100, 8192, 32768, 32769} {
			for _, sge := range []uint32{0, 1, 2, 3, 30, 31, 52, 61} {
				a.queuePair(fmt.Sprintf("create_qp %v send %d %d", typ, wr, sge), verbs.QPInitAttr{Type: typ, MaxSendWR: wr, MaxSendSGE: sge})
				a.queuePair(fmt.Sprintf("create_qp %v receive %d %d", typ, wr, sge), verbs.QPInitAttr{Type: typ, MaxRecvWR: wr, MaxRecvSGE: sge})
			}
		}
		for _, n := range []uint32{1, 28, 60, 64, 200, 800, 900, 1024, 1 << 31} {
			a.queuePair(fmt.Sprintf("create_qp %v inline %d", typ, n),
				verbs.QPInitAttr{Type: typ, MaxSendWR: 1, MaxSendSGE: 1, MaxInlineData: n})
		}
	}
}

func (a *asked) others() {
	for _, wr := range []uint32{1, 2, 7, 8, 1000, 32767, 32768} {
		for _, sge := range []uint32{0, 1, 2, 3, 16, 31, 32} {
			srq, err := a.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: wr, MaxSGE: sge})
			granted := ""
			if err == nil {
				info, err := srq.Query()
				granted = fmt.Sprintf("%d %d, %v", info.MaxWR, info.MaxSGE, err)
				_ = srq.Close()
			}
			a.say(fmt.Sprintf("create_srq %d %d", wr, sge), err, granted)
		}
	}
	for _, n := range []int{1, 2, 3, 7, 8, 63, 64, 4095, 4096, 1 << 22} {
		cq, err := a.dev.CreateCQ(n, nil, 0)
		granted := ""
		if err == nil {
			granted = fmt.Sprint(cq.Size())
			_ = cq.Close()
		}
		a.say(fmt.Sprintf("create_cq %d", n), err, granted)
	}
}

func ask(t *testing.T, dev *verbs.Device) *asked {
	t.Helper()
	a := &asked{dev: dev, pd: must(dev.AllocPD())(t), cq: must(dev.CreateCQ(16, nil, 0))(t), answers: map[string]string{}}
	a.deviceMemory()
	a.regions()
	a.queuePairs()
	a.others()
	if err := errors.Join(a.cq.Close(), a.pd.Close()); err != nil {
		t.Error(err)
	}
	return a
}

// TestLikeMLX5 asks softverbs.LikeMLX5 and the real libmlx5 the same questions. testdata/likemlx5.txt has the answers that differ.
func TestLikeMLX5(t *testing.T) {
	device := softverbs.New(softverbs.LikeMLX5())
	defer device.Close()
	dev := must(must(verbs.LoadFrom(device))(t).OpenDevice(device.Names()[0]))(t)
	defer dev.Close()
	soft, real := ask(t, dev), ask(t, open(t, Devices[0]))
	var b strings.Builder
	differ := 0
	for _, name := range real.names {
		if s, r := soft.answers[name], real.answers[name]; s != r {
			fmt.Fprintf(&b, "%s: LikeMLX5 %s; libmlx5 %s\n", name, s, r)
			differ++
		}
	}
	t.Logf("%d questions, %d answers differ", len(real.names), differ)
	const file = "testdata/likemlx5.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := must(os.ReadFile(file))(t); string(want) != b.String() {
		t.Errorf("%s has other answers that differ; run go test ./conformance/card -run LikeMLX5 -update, and read its diff", file)
	}
}
