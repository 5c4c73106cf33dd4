//go:build linux && cgo

package oncard

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// The direct verbs of mlx5, on the real libmlx5.

// dvOf opens a device, and loads libmlx5 beside libibverbs.
func dvOf(t *testing.T) (*mlx5dv.Lib, *verbs.Device) {
	t.Helper()
	dev := open(t, card.Devices[0])
	return must(mlx5dv.Load(dev.Lib()))(t), dev
}

// TestDirectDevice opens a device with options of mlx5, and asks for its abilities: those that it lacks are not Given.
func TestDirectDevice(t *testing.T) {
	lib, dev := dvOf(t)
	if yes := must(lib.IsSupported(dev))(t); !yes {
		t.Error("mlx5_0 is not one of mlx5")
	}
	again := must(lib.OpenDevice(dev, mlx5dv.NewContextAttr().Flags(mlx5dv.ContextAttrFlagDevX)))(t)
	defer again.Close()
	info := must(lib.QueryDevice(again))(t)
	if info.Given&mlx5dv.ContextMaskSWP == 0 || info.Given&mlx5dv.ContextMaskOOORecvWrs != 0 || info.Flags&mlx5dv.ContextFlagCQEV1 == 0 {
		t.Errorf("the abilities are %+v", info)
	}
}

// TestDirectDM allocates device memory by its kind. The card has no other kind.
func TestDirectDM(t *testing.T) {
	lib, dev := dvOf(t)
	dm := must(lib.AllocDM(dev, verbs.NewAllocDMAttr(256), mlx5dv.NewAllocDMAttr(mlx5dv.DMTypeMEMIC)))(t)
	if n, err := dm.WriteAt([]byte("mlx5"), 100); n != 4 || err != nil {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
	if _, err := lib.AllocDM(dev, verbs.NewAllocDMAttr(256), mlx5dv.NewAllocDMAttr(mlx5dv.DMTypeSteeringSWICM)); err == nil {
		t.Error("the card has memory for steering")
	}
}

// TestDirectDMOp accesses device memory by an operation. That of the card stores what is written.
func TestDirectDMOp(t *testing.T) {
	lib, dev := dvOf(t)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(128)))(t)
	op := must(lib.MapDMOp(dm, 0))(t)
	if op.Len() != 128 || op.DM() != dm {
		t.Errorf("%d bytes of %p", op.Len(), op.DM())
	}
	must(0, errors.Join(op.PutUint32(4, 7), op.PutUint64(120, 1<<40), dm.PutUint32(64, 9)))(t)
	a, b := must(dm.GetUint32(4))(t), must(dm.GetUint64(120))(t)
	if c := must(op.GetUint32(64))(t); a != 7 || b != 1<<40 || c != 9 {
		t.Errorf("%d, %#x, %d", a, b, c)
	}
	if err := op.PutUint64(124, 1); !errors.Is(err, syscall.EFAULT) || !strings.HasPrefix(err.Error(), "mlx5dv_dm_map_op_addr: ") {
		t.Errorf("beyond the end: %v", err)
	}
	if err := dm.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "DMOp") {
		t.Errorf("Close of the memory: %v", err)
	}
	if _, err := lib.MapDMOp(dm, 1); !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("another operation: %v", err)
	}
	if err := errors.Join(op.Close(), dm.Close()); err != nil {
		t.Error(err)
	}
	if _, err := op.GetUint32(0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := (*mlx5dv.DMOp)(nil).PutUint32(0, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("nil: %v", err)
	}
}

// TestDirectObjects looks behind objects of libibverbs: what the direct verbs say is what the objects are.
func TestDirectObjects(t *testing.T) {
	lib, dev := dvOf(t)
	pd := must(dev.AllocPD())(t)
	if info := must(lib.InitPD(pd))(t); info.PDN == 0 {
		t.Errorf("the domain is %+v", info)
	}
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(256)))(t)
	if info := must(lib.InitDM(dm))(t); info.Length != 256 || info.Buf == 0 || info.Given != mlx5dv.DMInfoMaskRemoteVA {
		t.Errorf("the device memory is %+v", info)
	}
	cq := must(lib.CreateCQ(dev, verbs.NewCQInitAttrEx(100, verbs.WCFieldByteLen), mlx5dv.NewCQInitAttr().CQESize(128)))(t)
	if info := must(lib.InitCQ(cq))(t); info.CQEs != 128 || info.CQESize != 128 || info.Buf == 0 {
		t.Errorf("the completion queue is %+v", info)
	}
	srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 10, MaxSGE: 1}))(t)
	if info := must(lib.InitSRQ(srq))(t); info.SRQN == 0 || info.Stride == 0 {
		t.Errorf("the shared receive queue is %+v", info)
	}
	qp := must(lib.CreateQP(dev, verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, pd).MaxSendWR(16).MaxRecvWR(4).MaxSendSGE(1).
		MaxRecvSGE(1), mlx5dv.NewQPInitAttr().CreateFlags(mlx5dv.QPCreateFlagDisableScatterToCQE)))(t)
	if info := must(lib.InitQP(qp))(t); info.RQWQEs < 4 || info.SQWQEs < 16 || info.SQStride != 64 || info.BFReg == 0 || info.DBRec == 0 {
		t.Errorf("the queue pair is %+v", info)
	}
}

// TestDirectDevX sends the command QUERY_HCA_CAP, the one that the card knows; another one is refused.
func TestDirectDevX(t *testing.T) {
	lib, dev := dvOf(t)
	open := must(lib.OpenDevice(dev, mlx5dv.NewContextAttr().Flags(mlx5dv.ContextAttrFlagDevX)))(t)
	defer open.Close()
	answer := make([]byte, 4096)
	if err := lib.DevXGeneralCmd(open, []byte{0: 1, 7: 0, 15: 0}, answer); err != nil {
		t.Error(err)
	}
	if err := lib.DevXGeneralCmd(open, []byte{0: 9, 15: 0}, answer); err == nil {
		t.Error("the card knows the command 0x900")
	}
}

// TestDirectClock converts time stamps: the clock of the card counts nanoseconds in 64 bits.
func TestDirectClock(t *testing.T) {
	lib, dev := dvOf(t)
	info := must(lib.GetClockInfo(dev))(t)
	if info.Mult == 0 || info.Mask == 0 {
		t.Fatalf("the clock is %+v", info)
	}
	if ns := (*mlx5dv.ClockInfo)(nil).TSToNS(info.LastCycles); ns != 0 {
		t.Errorf("without a clock: %d ns", ns)
	}
	step := uint64(1000) << info.Shift / uint64(info.Mult)
	for _, x := range []struct{ at, want uint64 }{{info.LastCycles, info.NS},
		{info.LastCycles + step, info.NS + 1000}, {info.LastCycles - step, info.NS - 1000}} {
		if got := info.TSToNS(x.at & info.Mask); got+1 < x.want || got > x.want+1 {
			t.Errorf("time stamp %#x is %d ns, want %d", x.at, got, x.want)
		}
	}
}

// TestDirectUAR allocates a doorbell page, which the device keeps open.
func TestDirectUAR(t *testing.T) {
	lib, dev := dvOf(t)
	page := must(lib.DevXAllocUAR(dev, mlx5dv.UARTypeBF))(t)
	if page.RegAddr() == 0 || page.BaseAddr() == 0 {
		t.Errorf("the page is at %#x, its register at %#x", page.BaseAddr(), page.RegAddr())
	}
	if err := dev.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the device of a page: %v", err)
	}
	if err := page.Close(); err != nil {
		t.Error(err)
	}
}

// TestDirectLacks calls what is not on the card: the errors are those of libmlx5 or of the kernel half, explained by the pages.
func TestDirectLacks(t *testing.T) {
	lib, dev := dvOf(t)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	driver := func() *verbs.QPInitAttrEx { return verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd) }
	for _, x := range []struct {
		what      string
		got, want error
	}{
		{"DCT without an SRQ", errorOf(lib.CreateQP(dev, driver(), mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCT).DCTAccessKey(0x1234))),
			syscall.EINVAL},
		{"DCI of 512 streams", errorOf(lib.CreateQP(dev, driver().MaxSendWR(4).MaxSendSGE(1),
			mlx5dv.NewQPInitAttr().DCType(mlx5dv.DCTypeDCI).LogDCIStreams(9).LogDCIErrored(1))), syscall.EINVAL},
		{"memory key", errorOf(lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: pd, Flags: mlx5dv.MKeyFlagBlockSignature, MaxEntries: 4})),
			syscall.EOPNOTSUPP},
		{"CryptoLogin", lib.CryptoLogin(dev, mlx5dv.NewCryptoLoginAttr(1, 2, [48]byte{})), syscall.EOPNOTSUPP},
		{"CryptoLogout", lib.CryptoLogout(dev), syscall.ENOENT},
		{"CreateCryptoLogin", errorOf(lib.CreateCryptoLogin(dev, mlx5dv.NewCryptoLoginAttrEx(1, 2, make([]byte, 48)))), syscall.EOPNOTSUPP},
		{"CreateDEK", errorOf(lib.CreateDEK(dev, mlx5dv.NewDEKInitAttr(pd, mlx5dv.CryptoKeySize128, [128]byte{}).Plaintext())),
			syscall.EOPNOTSUPP},
		{"RegUMemEx", errorOf(lib.RegUMemEx(dev, mlx5dv.NewUMemAttr(4096, 1).DMABufFD(-1))), syscall.EBADF},
		{"CreateCmdComp", errorOf(lib.CreateCmdComp(dev)), syscall.EPROTONOSUPPORT},
		{"CreateEventChannel", errorOf(lib.CreateEventChannel(dev, mlx5dv.EventChannelFlagOmitData)), syscall.EPROTONOSUPPORT},
		{"DataDirectPath", lib.DataDirectPath(dev, make([]byte, 4096)), errors.ErrUnsupported},
		{"CreateSchedNode", errorOf(lib.CreateSchedNode(dev, mlx5dv.NewSchedAttr())), syscall.EOPNOTSUPP},
		{"CreateSteeringAnchor", errorOf(lib.CreateSteeringAnchor(dev, mlx5dv.NewSteeringAnchorAttr(mlx5dv.FlowTableTypeNicRX, 0))),
			syscall.EPROTONOSUPPORT},
		{"CreateFlowActionModifyHeader", errorOf(lib.CreateFlowActionModifyHeader(dev, make([]byte, 8), mlx5dv.FlowTableTypeNicRX)),
			errors.ErrUnsupported},
		{"CreateFlowActionPacketReformat", errorOf(lib.CreateFlowActionPacketReformat(dev, nil, mlx5dv.ReformatTypeL2TunnelToL2,
			mlx5dv.FlowTableTypeNicRX)), errors.ErrUnsupported},
		{"AllocVAR", errorOf(lib.AllocVAR(dev)), errors.ErrUnsupported},
	} {
		if !errors.Is(x.got, x.want) {
			t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	if _, err := lib.RegDMABufMR(pd, mem.DMABuf{FD: -1, Length: 4096}, 0, verbs.DMABufAccessLocalWrite, 0); err == nil {
		t.Error("descriptor -1 is a DMA-buf")
	}
	if state := must(lib.CryptoLoginState(dev))(t); state != mlx5dv.CryptoLoginStateNoLogin {
		t.Errorf("the login is in state %d", state)
	}
}

// TestDirectDevXObject makes a flow counter of the firmware, the one object that the card has, and asks for its counts.
func TestDirectDevXObject(t *testing.T) {
	lib, dev := dvOf(t)
	answer := make([]byte, 16)
	obj := must(lib.DevXCreate(dev, []byte{0: 0x09, 1: 0x39, 15: 0}, answer))(t)
	query := make([]byte, 32)
	query[0], query[1] = 0x09, 0x3b
	copy(query[28:], answer[8:12])
	if err := obj.Query(query, make([]byte, 32)); err != nil {
		t.Errorf("the counts of counter %x: %v", answer[8:12], err)
	}
	query[31]++
	if err := obj.Query(query, make([]byte, 32)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("the counts of another counter: %v", err)
	}
	if err := obj.Modify(query, answer); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a counter was changed: %v", err)
	}
	if err := obj.Query(query[:15], answer); err == nil || !strings.Contains(err.Error(), "VR-mlx5dv_devx_obj_query-inlen") {
		t.Errorf("a command without its header: %v", err)
	}
	if err := dev.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the device of an object: %v", err)
	}
	if err := obj.Close(); err != nil {
		t.Error(err)
	}
	if _, err := lib.DevXCreate(dev, make([]byte, 16), answer); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an object by no command: %v", err)
	}
}

// TestDirectMKey makes a memory key that leads to others. It has no signatures, and so no errors of them.
func TestDirectMKey(t *testing.T) {
	lib, dev := dvOf(t)
	pd := must(dev.AllocPD())(t)
	key := must(lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: pd, Flags: mlx5dv.MKeyFlagIndirect, MaxEntries: 5}))(t)
	if key.LKey() == 0 || key.LKey() != key.RKey() {
		t.Errorf("the keys are %#x and %#x", key.LKey(), key.RKey())
	}
	if _, err := key.Check(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("Check of a key without signatures: %v", err)
	}
	if err := pd.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of the domain of a key: %v", err)
	}
	if err := key.Close(); err != nil {
		t.Error(err)
	}
	_, err := lib.CreateMKey(mlx5dv.MKeyInitAttr{PD: pd})
	if err == nil || !strings.Contains(err.Error(), "VR-mlx5dv_create_mkey-create_flags") {
		t.Errorf("a key without a flag: %v", err)
	}
}

// TestDirectUMem registers memory for commands, in each way.
func TestDirectUMem(t *testing.T) {
	lib, dev := dvOf(t)
	buf := must(mem.New(4096))(t)
	defer buf.Close()
	one := must(lib.RegUMem(dev, make([]byte, 100), verbs.MRAccessLocalWrite))(t)
	two := must(lib.RegUMemFrom(dev, buf, 0))(t)
	three := must(lib.RegUMemEx(dev, mlx5dv.NewUMemAttr(4096, 1).Memory(buf).PageSizes(1<<12)))(t)
	if one.ID() == 0 || one.ID() == two.ID() || two.ID() == three.ID() {
		t.Errorf("the numbers are %d, %d, %d", one.ID(), two.ID(), three.ID())
	}
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of a registered buffer: %v", err)
	}
	for _, u := range []*mlx5dv.UMem{one, two, three} {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := lib.RegUMem(dev, make([]byte, 100), verbs.MRAccessRemoteAtomic); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("memory for atomics: %v", err)
	}
}

// TestDirectNumbers asks for numbers of the card: of an event queue, of a pace, of a port that is not of a switch.
func TestDirectNumbers(t *testing.T) {
	lib, dev := dvOf(t)
	if n := must(lib.DevXQueryEQN(dev, 0))(t); n == 0 {
		t.Error("the event queue has number 0")
	}
	if _, err := lib.DevXQueryEQN(dev, uint32(dev.NumCompVectors())); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("the event queue of a vector that is not there: %v", err)
	}
	pp := must(lib.AllocPP(dev, make([]byte, 48), mlx5dv.PPFlagDedicatedIndex))(t)
	if pp.Index() == 0 {
		t.Error("the pace has number 0")
	}
	if err := pp.Close(); err != nil {
		t.Error(err)
	}
	if info := must(lib.QueryPort(dev, 1))(t); info.Given&mlx5dv.PortInfoMaskVPort != 0 {
		t.Errorf("the port is %+v", info)
	}
	if _, err := lib.QueryPort(dev, 2); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a port that is not there: %v", err)
	}
}
