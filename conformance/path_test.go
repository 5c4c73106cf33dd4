//go:build linux

package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// installed is a software device that seems to come from a file, so that sysfs has its driver.
type installed struct{ *softverbs.Device }

func (installed) Path() string { return "/usr/lib/libibverbs.so.1" }

// driven opens a software device whose driver, as sysfs has it, is another one.
func driven(t *testing.T, driver string) *verbs.Device {
	at := filepath.Join(t.TempDir(), "class/infiniband/soft0/device")
	if err := errors.Join(os.MkdirAll(at, 0o755), os.Symlink("../drivers/"+driver, filepath.Join(at, "driver"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SYSFS_PATH", filepath.Join(at, "../../../.."))
	soft := softverbs.New(softverbs.Name("soft0"))
	t.Cleanup(func() { soft.Close() })
	dev := must(must(verbs.LoadFrom(installed{soft}))(t).OpenDevice("soft0"))(t)
	t.Cleanup(func() { dev.CloseAll() })
	return dev
}

// TestPathMTU posts to queue pairs of bnxt_re before and after they learn a path MTU, by which that provider divides.
func TestPathMTU(t *testing.T) {
	const never = "was never in state RTR"
	for _, c := range []struct {
		driver string
		typ    verbs.QPType
		states []verbs.QPState // after INIT
		says   string          // of a send; or nothing
	}{
		{"bnxt_en", verbs.QPTypeRC, nil, never},
		{"bnxt_en", verbs.QPTypeRC, []verbs.QPState{verbs.QPStateErr}, never},
		{"bnxt_en", verbs.QPTypeRC, []verbs.QPState{verbs.QPStateRTR, verbs.QPStateErr}, ""},
		{"bnxt_en", verbs.QPTypeRC, []verbs.QPState{verbs.QPStateRTR, verbs.QPStateRTS}, ""},
		{"bnxt_en", verbs.QPTypeUC, []verbs.QPState{verbs.QPStateErr}, ""},
		{"mlx5_core", verbs.QPTypeRC, []verbs.QPState{verbs.QPStateErr}, ""},
	} {
		dev := driven(t, c.driver)
		gid := must(dev.QueryGID(1, 0))(t)
		pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
		mr := must(pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite))(t)
		qp := must(dev.CreateQPEx(verbs.NewQPInitAttrEx(c.typ, cq, cq, pd).MaxSendWR(4).MaxSendSGE(1).MaxRecvWR(4).MaxRecvSGE(1).
			SendOps(verbs.QPOpSend)))(t)
		setup := verbs.RCSetup{PortNum: 1, AV: verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1}, PathMTU: verbs.MTU1024,
			DestQPNum: qp.Num(), Timeout: 14, RetryCnt: 1, RNRRetry: 1, MinRNRTimer: 1}
		changes := map[verbs.QPState]*verbs.QPAttr{verbs.QPStateInit: setup.Init(), verbs.QPStateRTR: setup.RTR(), verbs.QPStateRTS: setup.RTS(),
			verbs.QPStateErr: verbs.NewQPAttr(verbs.QPStateErr)}
		states := append([]verbs.QPState{verbs.QPStateInit}, c.states...)
		for _, state := range states {
			must(0, qp.Modify(changes[state]))(t)
		}
		recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
		recv.WR(0).Recv(1).SGE(uint64(mr.Addr()), 64, mr.LKey())
		if _, err := qp.PostRecv(recv, 1); err != nil {
			t.Errorf("%s, %v in %v: receive: %v", c.driver, c.typ, states, err)
		}
		send.WR(0).Send(1).SGE(uint64(mr.Addr()), 8, mr.LKey())
		_, post := qp.PostSend(send, 1)
		_, _, both := qp.PostAndPoll(send.From(0, 1), cq, make([]verbs.WC, 1), 1)
		_, stream := must(qp.Stream())(t).Post(send, 1)
		for i, err := range []error{post, both, stream} {
			if (err == nil) != (c.says == "") || err != nil && (!strings.Contains(err.Error(), c.says) || !errors.Is(err, syscall.EINVAL)) {
				t.Errorf("%s, %v in %v: post %d: %v; want %q", c.driver, c.typ, states, i, err, c.says)
			}
		}
	}
}
