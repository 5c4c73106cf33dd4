//go:build linux

package suite

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

const page = 4096

// probe asks a device what it can do. The answer has the reason for each thing that it cannot.
func probe(t *T, dev *verbs.Device, attr *verbs.DeviceInfoEx) (map[Capability]string, error) {
	lacking := map[Capability]string{}
	lack := func(c Capability, is bool, format string, args ...any) {
		if is {
			lacking[c] = fmt.Sprintf(format, args...)
		}
	}
	lack(Inject, t.soft == nil, "calls fail on order on software only")
	lack(RawLoop, t.soft == nil && emulated(t.target.name) == "",
		"only the software device and conformance/card are known to return the frames that are sent on a port")
	lack(OpenQP, t.soft == nil && provider(t.target.name) == "mlx5_core",
		"libmlx5 cannot close a handle of ibv_open_qp, so the call is refused")
	lack(Allocator, t.soft == nil && provider(t.target.name) != "mlx5_core", "only mlx5 and the software device ask an allocator")
	if port, err := dev.QueryPort(t.target.cfg.Port); err != nil {
		lacking[RoCE] = oneLine(err.Error())
	} else {
		lack(RoCE, port.LinkLayer != verbs.LinkLayerEthernet, "the port is of %v", port.LinkLayer)
	}
	lack(Atomics, attr.OrigAttr.AtomicCap == verbs.AtomicCapNone, "atomic_cap is NONE")
	lack(DM, attr.MaxDMSize == 0, "max_dm_size is 0")
	lack(SRQ, attr.OrigAttr.MaxSRQ == 0, "max_srq is 0")
	lack(ODP, attr.ODPCaps.General&verbs.ODPCapSupported == 0, "odp_caps.general_caps lacks SUPPORT")
	lack(ODPImplicit, attr.ODPCaps.General&verbs.ODPCapImplicit == 0, "odp_caps.general_caps lacks SUPPORT_IMPLICIT")
	lack(ImportDM, t.source.Symbol("ibv_import_dm", "") == 0, "the library has no ibv_import_dm")
	lack(MREx, t.source.Symbol("ibv_reg_mr_ex", "") == 0, "the library has no ibv_reg_mr_ex")
	why := lacksMemory(8<<30, "/", t.soft == nil)
	lack(Memory, why != "", "%s", why)
	if buf, err := mem.New(2<<20, mem.HugePages(0)); err != nil {
		lacking[HugePages] = oneLine(err.Error())
	} else if err := buf.Close(); err != nil {
		lacking[HugePages] = oneLine(err.Error())
	}
	b, err := newProbes(t, dev)
	if err != nil {
		return nil, err
	}
	for c, try := range b.all() {
		if err := try(); isLacking(c, err) {
			lacking[c] = oneLine(err.Error())
		}
	}
	if lacking[ODP] != "" {
		lacking[Advise] = lacking[ODP]
	} else if err := b.advise(); errors.Is(err, errors.ErrUnsupported) {
		lacking[Advise] = oneLine(err.Error())
	}
	lack(Allocator, lacking[ParentDomain] != "", "%s", lacking[ParentDomain])
	if err := t.target.probeCensus(t); err != nil {
		lacking[Census] = oneLine(err.Error())
	}
	noWay, err := probePeer(t, dev)
	lack(Peer, noWay != "", "%s", noWay)
	return lacking, err
}

// probePeer reports why no connection can be made. It makes none: what goes wrong on the way is for the cases to find.
func probePeer(t *T, dev *verbs.Device) (why string, err error) {
	if err = far.Speaks(t.lib, t.target.name); err == nil {
		_, err = far.OpenPort(dev, t.target.name, t.target.cfg.Port, t.target.cfg.GIDIndex)
	}
	if err == nil && t.target.cfg.Far == nil {
		var m far.Maker
		if m, err = t.target.localMaker(t); err == nil {
			return "", m.Close()
		}
	}
	if errors.Is(err, far.ErrNoWay) {
		return oneLine(err.Error()), nil
	}
	return "", err
}

// with hands on what a call made, and closes it behind.
func with[C io.Closer](c C, err error) func(use func(C) error) error {
	return func(use func(C) error) error {
		if err != nil {
			return err
		}
		return errors.Join(use(c), c.Close())
	}
}

// closed closes what a call made.
func closed[C io.Closer](c C, err error) error {
	return with(c, err)(func(C) error { return nil })
}

// OneEach are the attributes of a queue pair with room for one request of one element each way.
func OneEach(typ verbs.QPType, cq *verbs.CQ) verbs.QPInitAttr {
	return verbs.QPInitAttr{Type: typ, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
}

// probes have what the attempts need.
type probes struct {
	t   *T
	dev *verbs.Device
	pd  *verbs.PD
	cq  *verbs.CQ
}

func newProbes(t *T, dev *verbs.Device) (b *probes, err error) {
	b = &probes{t: t, dev: dev}
	if b.pd, err = dev.AllocPD(); err != nil {
		return nil, err
	}
	b.cq, err = dev.CreateCQ(1, nil, 0)
	return b, err
}

// Bits of device_cap_flags_ex that verbs.h has no names for: linux v6.12 include/uapi/rdma/ib_user_verbs.h.
const (
	capFlushGlobal = 1 << 38
	capAtomicWrite = 1 << 40
)

// all are the simplest calls that need the capabilities. An error other than "not supported" is for the cases to find.
func (b *probes) all() map[Capability]func() error {
	dev, pd, cq := b.dev, b.pd, b.cq
	return map[Capability]func() error{
		TD:    func() error { return closed(dev.AllocTD()) },
		XRC:   func() error { return closed(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))) },
		MW:    func() error { return closed(pd.AllocMW(verbs.MWType2)) },
		WQ:    func() error { return closed(b.workQueue()) },
		Flows: func() error { return with(pd.CreateQP(OneEach(verbs.QPTypeUD, cq)))(b.flow) },
		RWQTables: func() error {
			return with(b.workQueue())(func(wq *verbs.WQ) error {
				return closed(dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq})))
			})
		},
		ESP:          func() error { return closed(dev.CreateFlowActionESP(decrypting())) },
		Moderation:   func() error { return cq.Modify(verbs.NewModifyCQAttr().Count(1)) },
		Resize:       func() error { return cq.Resize(2*cq.Size() + 1) },
		Counters:     func() error { return closed(dev.CreateCounters()) },
		CompCounters: func() error { _, err := dev.QueryCompCntrCaps(); return err },
		Clock:        func() error { _, err := dev.QueryRTValues(); return err },
		Multicast: func() error { // a group that the queue pair is not in: a device that lacks the verb says so before it looks
			return with(pd.CreateQP(OneEach(verbs.QPTypeUD, cq)))(func(qp *verbs.QP) error {
				return qp.DetachMcast(verbs.GID{0: 0xff, 1: 0x12, 15: 1}, 0)
			})
		},
		ParentDomain: func() error { return closed(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd))) },
		NullMR:       func() error { return closed(pd.AllocNullMR()) },
		Buf:          func() error { return closed(pd.AllocBuf(page)) },
		DMABuf:       b.dmaBuf,
		DMABufMemory: func() error {
			fd, err := DMABufFD(b.t, page)
			if err == nil {
				err = unix.Close(fd)
			}
			return err
		},
		Import: func() error { return closed(b.t.lib.ImportDevice(dev.CmdFD())) },
		CQEx:   func() error { return closed(dev.CreateCQEx(verbs.NewCQInitAttrEx(1, 0))) },
		Overruns: func() error {
			return closed(dev.CreateCQEx(verbs.NewCQInitAttrEx(1, 0).Flags(verbs.CQFlagIgnoreOverrun)))
		},
		Timestamps: func() error {
			return closed(dev.CreateCQEx(verbs.NewCQInitAttrEx(1, verbs.WCFieldCompletionTS|verbs.WCFieldWallclock)))
		},
		QPEx: func() error { return b.stream(verbs.QPOpSend) },
		// requests that both the device and the provider know, or not
		AtomicWrite: func() error { return b.streamIf(capAtomicWrite, verbs.QPOpAtomicWrite) },
		Flush:       func() error { return b.streamIf(capFlushGlobal, verbs.QPOpFlush) },
		RawPacket:   b.rawPacket,
		ReregMemory: func() error {
			return b.region(0, func(mr *verbs.MR, buf *mem.Buffer) error {
				return mr.Rereg(new(verbs.MRChange).Memory(mem.Addr(buf.Addr()+page, page)))
			})
		},
		ReregPD: func() error {
			return with(dev.AllocPD())(func(other *verbs.PD) error {
				return b.region(0, func(mr *verbs.MR, _ *mem.Buffer) error {
					return errors.Join(mr.Rereg(new(verbs.MRChange).PD(other)), mr.Rereg(new(verbs.MRChange).PD(pd)))
				})
			})
		},
		ReregAccess: func() error {
			return b.region(0, func(mr *verbs.MR, _ *mem.Buffer) error {
				return mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessLocalWrite))
			})
		},
	}
}

func (b *probes) workQueue() (*verbs.WQ, error) {
	return b.dev.CreateWQ(verbs.NewWQInitAttr(b.pd, b.cq).MaxWR(1).MaxSGE(1))
}

func (b *probes) flow(qp *verbs.QP) error {
	return closed(qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, b.t.target.cfg.Port).Specs(ToNobody())))
}

// decrypting describes an action that decrypts.
func decrypting() *verbs.FlowActionESPAttr {
	keys := &verbs.FlowActionESPKeymatAESGCM{Key: make([]byte, 16), Salt: 1, ICVLen: 16}
	return verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}).Keymat(keys)
}

// stream makes a queue pair that posts requests of some kinds as a stream.
func (b *probes) stream(ops verbs.QPOp) error {
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeRC, b.cq, b.cq, b.pd).MaxSendWR(1).MaxRecvWR(1).MaxSendSGE(1).MaxRecvSGE(1)
	return with(b.dev.CreateQPEx(attr.SendOps(ops)))(func(qp *verbs.QP) error {
		_, err := qp.Stream()
		return err
	})
}

// streamIf does so on a device that has a bit.
func (b *probes) streamIf(bit verbs.DeviceCapEx, op verbs.QPOp) error {
	attr, err := b.dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	if attr.DeviceCapFlagsEx&bit == 0 {
		return fmt.Errorf("device_cap_flags_ex lacks %#x: %w", uint64(bit), errors.ErrUnsupported)
	}
	return b.stream(op)
}

func (b *probes) rawPacket() error {
	if port, err := b.dev.QueryPort(1); err != nil || port.LinkLayer != verbs.LinkLayerEthernet {
		return cmp.Or(err, fmt.Errorf("%w: raw packets are for ports of Ethernet", errors.ErrUnsupported))
	}
	return closed(b.pd.CreateQP(OneEach(verbs.QPTypeRawPacket, b.cq)))
}

// dmaBuf tries a descriptor that is no dma-buf too: a device that lacks the verb says so before it looks.
func (b *probes) dmaBuf() error {
	fd, err := memfd(page)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return closed(b.pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: page}, 0, verbs.DMABufAccessLocalWrite))
}

// advise is tried on a device with on-demand paging only: others have no region that takes advice.
func (b *probes) advise() error {
	return b.region(verbs.MRAccessLocalWrite|verbs.MRAccessOnDemand, func(mr *verbs.MR, buf *mem.Buffer) error {
		return b.pd.AdviseMR(verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRFlagsFlush,
			[]verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: mr.LKey()}})
	})
}

// region hands on a region over the first of two pages.
func (b *probes) region(access verbs.MRAccess, use func(*verbs.MR, *mem.Buffer) error) error {
	return with(mem.New(2*page, mem.Populate()))(func(buf *mem.Buffer) error {
		return with(b.pd.RegMRFrom(mem.Addr(buf.Addr(), page), access))(func(mr *verbs.MR) error { return use(mr, buf) })
	})
}

// isLacking reports whether the error of an attempt says that something is not there, or that this user may not have it: raw packets and
// flows need CAP_NET_RAW.
func isLacking(c Capability, err error) bool {
	if (c == RawPacket || c == Flows) && errors.Is(err, syscall.EPERM) {
		return true
	}
	return errors.Is(err, errors.ErrUnsupported) && Refused(err) == nil
}

// Nobody is an address of Ethernet that no port has, and WholeMAC the mask of a whole address.
var (
	Nobody   = [6]uint8{0x02, 0, 0, 0x76, 0x67, 0xff}
	WholeMAC = [6]uint8{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
)

// ToNobody matches frames to Nobody.
func ToNobody() *verbs.FlowSpecEth {
	return &verbs.FlowSpecEth{Val: verbs.FlowEthFilter{DstMAC: Nobody}, Mask: verbs.FlowEthFilter{DstMAC: WholeMAC}}
}

// DMABufFD returns a descriptor of memory that a device may take as a dma-buf: a real one by udmabuf if the device is real. The software
// device and conformance/card take a memfd. The caller closes it.
func DMABufFD(t *T, length int64) (int, error) {
	fd, err := memfd(length)
	if err != nil || t.soft != nil || emulated(t.target.name) != "" {
		return fd, err
	}
	defer unix.Close(fd)
	return udmabuf(fd, uint64(length))
}

func memfd(length int64) (int, error) {
	fd, err := unix.MemfdCreate("conformance", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("memfd: %w", err)
	}
	if err := unix.Ftruncate(fd, length); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}
