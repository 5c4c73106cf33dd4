//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestCauses makes calls fail on the real libmlx5, and asks for the cause that the arguments confirm.
func TestCauses(t *testing.T) {
	dev := open(t, card.Devices[0])
	pd := must(dev.AllocPD())(t)
	gid := func(text string) verbs.GID { return must(verbs.ParseGID(text))(t) }
	path := func(index uint8, to string) verbs.AHAttr {
		return verbs.AHAttr{PortNum: 1, IsGlobal: true, SGIDIndex: index, DGID: gid(to), HopLimit: 1}
	}
	rtr := func(at verbs.AHAttr) error {
		cq := must(dev.CreateCQ(4, nil, 0))(t)
		qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1}))(t)
		setup := verbs.RCSetup{PortNum: 1, AV: at, PathMTU: verbs.MTU1024, DestQPNum: 1}
		must(0, qp.Modify(setup.Init()))(t)
		return qp.Modify(setup.RTR())
	}
	file := must(os.CreateTemp(t.TempDir(), "buf"))(t)
	defer file.Close()
	families := "entry 1 of the GID table of port 1, SGIDIndex, is the link-local address "
	for _, c := range []struct {
		name string
		err  func() error
		want string
	}{
		{"families", func() error { return rtr(path(1, "::ffff:192.168.77.2")) },
			"ibv_modify_qp: invalid argument (EINVAL); may be: " + families},
		{"nobody", func() error { return rtr(path(3, "::ffff:192.168.77.99")) },
			"ibv_modify_qp: connection timed out (ETIMEDOUT); may be: nobody answers at 192.168.77.99 on "},
		{"no route", func() error { return rtr(path(3, "::ffff:10.9.9.9")) },
			"ibv_modify_qp: network is unreachable (ENETUNREACH); may be: no route leads "},
		{"zeros", func() error { return rtr(path(3, "::")) },
			"ibv_modify_qp: invalid argument (EINVAL); may be: DGID is all zeros; set it to the GID of the peer"},
		{"a peer", func() error { return rtr(path(3, "::ffff:192.168.77.2")) }, "<nil>"},
		{"GID", func() error { _, err := dev.QueryGIDEx(1, 200); return err },
			"ibv_query_gid_ex: no data available (ENODATA); may be: entry 200 of the GID table of port 1 is empty; use one of 0: "},
		{"plain file", func() error {
			return errorOf(pd.RegDMABufMR(mem.DMABuf{FD: int(file.Fd()), Length: 64}, 0, verbs.DMABufAccessLocalWrite))
		},
			fmt.Sprintf("ibv_reg_dmabuf_mr: invalid argument (EINVAL); may be: fd %d is %s, not a dma-buf", file.Fd(), file.Name())},
	} {
		if got := fmt.Sprint(c.err()); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestAnnouncedOnce arms a queue of the real libmlx5 again.
func TestAnnouncedOnce(t *testing.T) {
	if err := link.AnnouncedOnce(open(t, card.Devices[0])); err != nil {
		t.Error(err)
	}
}

// TestErrnos makes calls for which libmlx5, libefa or the kernel have an errno that says little, or none, and looks for what else the
// error says.
func TestErrnos(t *testing.T) {
	errnos(t, card.Devices[0])
	cmd, _, out := child(t, "errnos", onEFA(t, "mlx5")...)
	ends(t, cmd, out)
}

func errnos(t *testing.T, device string) {
	dev := open(t, device)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	said := map[string]error{}
	_, said["type DRIVER has attributes; make it by the package of its driver; [VR-ibv_create_qp_ex-qp_type-4212]"] = dev.CreateQPEx(
		verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd).MaxSendWR(1).MaxRecvWR(1))
	_, said["type DRIVER has attributes; make it by the package of its driver; [VR-ibv_create_qp-qp_type-4211]"] = pd.CreateQP(
		verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1})
	if device == "efa_0" {
		channel := must(dev.CreateCompChannel())(t)
		_, said["does not share one between processes; open the device by its name"] = dev.Lib().ImportDevice(dev.CmdFD())
		_, said["no parent domains; use the protection domain"] = dev.AllocParentDomain(verbs.NewParentDomainAttr(pd))
		_, said["no thread domains; make objects with the protection domain"] = dev.AllocTD()
		_, said["no completion events; pass none, and poll"] = dev.CreateCQ(16, channel, 0)
		_, said["no completion events for the channel"] = dev.CreateCQEx(verbs.NewCQInitAttrEx(16, 0).Channel(channel))
	} else {
		_, said["ibv_create_ah: "] = pd.CreateAH(verbs.AHAttr{PortNum: 9, IsGlobal: true})
		srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
		ops := must(verbs.NewOpsBatch(1, 1))(t)
		ops.WR(0).Del(1, 0)
		_, said["BASIC: this queue has no tags; make the queue by Device.CreateSRQEx with SRQTypeTM"] = srq.PostOps(ops, 1)
		init := verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0).AccessFlags(verbs.QPAccessRemoteWrite)
		_, qp := dct(t)
		must(0, qp.Modify(init))(t)
		said["INIT to INIT, which is no transition: a DCT of mlx5"] = qp.Modify(init)
		said["INIT to RTS, which is no transition: a DCT of mlx5"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS))
		said["INIT to ERR, which is no transition; to end it, close it"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateErr))
		said["INIT to RTR without AV|MinRNRTimer"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024))
	}
	for words, err := range said {
		for _, w := range strings.Split(words, ";") {
			if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(w)) {
				t.Errorf("%v, want %q", err, w)
			}
		}
	}
}

// TestGrantBelow asks for more inline data than an int of C holds: the real libmlx5 grants 60 bytes. The program is told so by a hint
// before the call, by Query, and by the post that needs more.
func TestGrantBelow(t *testing.T) {
	lib := must(verbs.Load())(t)
	dev := must(lib.OpenDevice(card.Devices[0]))(t)
	defer dev.CloseAll()
	var hints []string
	lib.OnLint(func(l *verr.Lint) { hints = append(hints, l.String()) })
	defer lib.OnLint(nil)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1,
		MaxInlineData: 1 << 31}))(t)
	if all := strings.Join(hints, "\n"); !strings.Contains(all, "VR-ibv_create_qp-max_inline_data-3902") {
		t.Errorf("hints %q", all)
	}
	if _, init, err := qp.Query(); err != nil || init.Cap.MaxInlineData != 60 {
		t.Errorf("granted %+v, %v", init, err)
	}
	batch := must(verbs.NewSendBatch(1, 1, verbs.InlineRoom(64)))(t)
	defer batch.Close()
	batch.WR(0).Send(1).InlineData(make([]byte, 61))
	if _, err := qp.PostSend(batch, 1); err == nil || !strings.Contains(err.Error(), "60") {
		t.Errorf("a post of 61 bytes: %v", err)
	}
}

// TestFatalRulesAreNotBroken asks that no test on hardware makes the copies that mlx5 would make outside of its memory.
func TestFatalRulesAreNotBroken(t *testing.T) {
	for _, id := range []string{"VR-ibv_memcpy_to_dm-dm_offset-0107", "VR-ibv_memcpy_from_dm-dm_offset-0113"} {
		if rulecall.Fatal[id] == "" {
			t.Errorf("%s is broken on devices", id)
		}
	}
	dm := must(open(t, card.Devices[0]).AllocDM(verbs.NewAllocDMAttr(64)))(t)
	if _, err := dm.WriteAt(make([]byte, 8), -8); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EFAULT) {
		t.Errorf("a copy whose end overflows: %v", err)
	}
}
