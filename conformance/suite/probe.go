//go:build linux

package suite

import (
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
	for c, try := range map[Capability]func(*verbs.Device, *T) error{
		XRC: probeXRC, MW: probeMW, Multicast: probeMulticast, Counters: probeCounters, CompCounters: probeCompCounters,
		Clock: probeClock, Resize: probeResize, WQ: probeWQ, RWQTables: probeRWQTables, ESP: probeESP, Moderation: probeModeration,
		Flows: probeFlows, TD: probeTD, ParentDomain: probeParentDomain, NullMR: probeNullMR, Buf: probeBuf, DMABuf: probeDMABuf,
		DMABufMemory: probeDMABufMemory, Import: probeImport,
		CQEx: probeCQEx, Timestamps: probeTimestamps, Overruns: probeOverruns, QPEx: probeQPEx,
		AtomicWrite: probeOp(capAtomicWrite, verbs.QPOpAtomicWrite), Flush: probeOp(capFlushGlobal, verbs.QPOpFlush),
		RawPacket:   probeRawPacket,
		ReregMemory: probeReregMemory, ReregPD: probeReregPD, ReregAccess: probeReregAccess,
	} {
		if err := try(dev, t); isLacking(c, err) {
			lacking[c] = oneLine(err.Error())
		}
	}
	if lacking[ODP] != "" {
		lacking[Advise] = lacking[ODP]
	} else if err := probeAdvise(dev); errors.Is(err, errors.ErrUnsupported) {
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

// Each probe makes the simplest call that needs the capability. An error other than "not supported" is for the cases to find.

func probeTD(dev *verbs.Device, _ *T) error { return closed(dev.AllocTD()) }

func probeXRC(dev *verbs.Device, _ *T) error {
	return closed(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT)))
}

func probeMW(dev *verbs.Device, _ *T) error {
	return withPD(dev, func(pd *verbs.PD) error {
		return closed(pd.AllocMW(verbs.MWType2))
	})
}

func probeWQ(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			return closed(dev.CreateWQ(verbs.NewWQInitAttr(pd, cq).MaxWR(1).MaxSGE(1)))
		})
	})
}

func probeModeration(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error { return cq.Modify(verbs.NewModifyCQAttr().Count(1)) })
}

// withCQ hands on a completion queue, which is closed behind.
func withCQ(dev *verbs.Device, use func(cq *verbs.CQ) error) error {
	return with(dev.CreateCQ(1, nil, 0))(use)
}

// probeFlows makes the flow that takes all that nobody else takes.
func probeFlows(dev *verbs.Device, t *T) error {
	return withDatagrams(dev, func(qp *verbs.QP) error {
		return closed(qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, t.target.cfg.Port).Specs(ToNobody())))
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

// withDatagrams hands on a queue pair of datagrams, which is closed behind.
func withDatagrams(dev *verbs.Device, use func(qp *verbs.QP) error) error {
	return withCQ(dev, func(cq *verbs.CQ) error {
		return withPD(dev, func(pd *verbs.PD) error {
			return with(pd.CreateQP(verbs.QPInitAttr{
				Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1,
				MaxRecvSGE: 1,
			}))(use)
		})
	})
}

func probeCounters(dev *verbs.Device, _ *T) error { return closed(dev.CreateCounters()) }

func probeCompCounters(dev *verbs.Device, _ *T) error {
	_, err := dev.QueryCompCntrCaps()
	return err
}

func probeClock(dev *verbs.Device, _ *T) error {
	_, err := dev.QueryRTValues()
	return err
}

func probeResize(dev *verbs.Device, _ *T) error {
	return withCQ(dev, func(cq *verbs.CQ) error { return cq.Resize(2*cq.Size() + 1) })
}

// probeMulticast leaves a group that the queue pair is not in: a device that lacks the verb says so before it looks.
func probeMulticast(dev *verbs.Device, _ *T) error {
	return withDatagrams(dev, func(qp *verbs.QP) error { return qp.DetachMcast(verbs.GID{0: 0xff, 1: 0x12, 15: 1}, 0) })
}

func probeParentDomain(dev *verbs.Device, _ *T) error {
	return withPD(dev, func(pd *verbs.PD) error {
		return closed(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd)))
	})
}

func probeNullMR(dev *verbs.Device, _ *T) error {
	return withPD(dev, func(pd *verbs.PD) error {
		return closed(pd.AllocNullMR())
	})
}

func probeBuf(dev *verbs.Device, _ *T) error {
	return withPD(dev, func(pd *verbs.PD) error {
		return closed(pd.AllocBuf(page))
	})
}

// probeDMABuf tries a descriptor that is no dma-buf too: a device that lacks the verb says so before it looks.
func probeDMABuf(dev *verbs.Device, _ *T) error {
	fd, err := memfd(page)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return withPD(dev, func(pd *verbs.PD) error {
		return closed(pd.RegDMABufMR(mem.DMABuf{FD: fd, Length: page}, 0, verbs.DMABufAccessLocalWrite))
	})
}

func probeDMABufMemory(_ *verbs.Device, t *T) error {
	fd, err := DMABufFD(t, page)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func probeImport(dev *verbs.Device, t *T) error { return closed(t.lib.ImportDevice(dev.CmdFD())) }

func probeReregMemory(dev *verbs.Device, t *T) error {
	return withRegion(dev, func(_ *verbs.PD, mr *verbs.MR, buf *mem.Buffer) error {
		return mr.Rereg(new(verbs.MRChange).Memory(mem.Addr(buf.Addr()+page, page)))
	})
}

func probeReregPD(dev *verbs.Device, t *T) error {
	return withRegion(dev, func(pd *verbs.PD, mr *verbs.MR, _ *mem.Buffer) error {
		other, err := dev.AllocPD()
		if err != nil {
			return err
		}
		moved := mr.Rereg(new(verbs.MRChange).PD(other))
		back := mr.Rereg(new(verbs.MRChange).PD(pd))
		return errors.Join(moved, back, other.Close())
	})
}

func probeReregAccess(dev *verbs.Device, t *T) error {
	return withRegion(dev, func(_ *verbs.PD, mr *verbs.MR, _ *mem.Buffer) error {
		return mr.Rereg(new(verbs.MRChange).Access(verbs.MRAccessLocalWrite))
	})
}

// probeAdvise is tried on a device with on-demand paging only: others have no region that takes advice.
func probeAdvise(dev *verbs.Device) error {
	return withPD(dev, func(pd *verbs.PD) error {
		buf, err := mem.New(page, mem.Populate())
		if err != nil {
			return err
		}
		mr, err := pd.RegMRFrom(buf, verbs.MRAccessLocalWrite|verbs.MRAccessOnDemand)
		if err != nil {
			return errors.Join(err, buf.Close())
		}
		err = pd.AdviseMR(verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRFlagsFlush,
			[]verbs.SGE{{Addr: uint64(buf.Addr()), Length: page, LKey: mr.LKey()}})
		return errors.Join(err, mr.Close(), buf.Close())
	})
}

func withPD(dev *verbs.Device, f func(*verbs.PD) error) error {
	return with(dev.AllocPD())(f)
}

func withRegion(dev *verbs.Device, f func(*verbs.PD, *verbs.MR, *mem.Buffer) error) error {
	return withPD(dev, func(pd *verbs.PD) error {
		buf, err := mem.New(2 * page)
		if err != nil {
			return err
		}
		mr, err := pd.RegMRFrom(mem.Addr(buf.Addr(), page), 0)
		if err != nil {
			return errors.Join(err, buf.Close())
		}
		err = f(pd, mr, buf)
		return errors.Join(err, mr.Close(), buf.Close())
	})
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
