//go:build linux && cgo

package failures

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func mistakes() (all []mistake) {
	for _, list := range [][]mistake{pathMistakes(), memoryMistakes(), keyMistakes(), peerMistakes(), silentMistakes(), limitMistakes()} {
		all = append(all, list...)
	}
	return all
}

func pathMistakes() []mistake {
	return []mistake{
		{name: "a connection over RoCE without IsGlobal",
			says: "ibv_modify_qp: to RTR: .*port 1 is Ethernet, which needs a global route",
			make: setup(func(s *verbs.RCSetup) { s.AV.IsGlobal, s.AV.DLID = false, 1 })},
		{name: "a connection from an empty GID index",
			says: "to RTR: .*entry 200 of the GID table of port 1.*(is empty|does not exist).*use one of 0: ",
			make: setup(func(s *verbs.RCSetup) { s.AV.SGIDIndex = 200 })},
		{name: "an address over RoCE without IsGlobal", says: "ibv_create_ah: .*port 1 is Ethernet, which needs a global route",
			make: address(func(at *verbs.AHAttr) { at.IsGlobal, at.DLID = false, 1 })},
		{name: "an address from an empty GID index", says: "ibv_create_ah: .*entry 200 of the GID table of port 1.*use one of 0: ",
			make: address(func(at *verbs.AHAttr) { at.SGIDIndex = 200 })},
		{name: "a connection by a port that the device lacks", says: "ibv_modify_qp: to INIT: .*port",
			make: setup(func(s *verbs.RCSetup) { s.PortNum = 9 })},
		{name: "a connection without a port", says: "ibv_modify_qp: to INIT: .*ports are numbered from 1",
			make: setup(func(s *verbs.RCSetup) { s.PortNum = 0 })},
		{name: "a path without its port", says: "ibv_modify_qp: to RTR: .*a path needs a local port",
			make: setup(func(s *verbs.RCSetup) { s.AV.PortNum = 0 })},
		{name: "an MTU in bytes",
			says: "PathMTU 1024: an MTU is a code from 1 to 5, not a number of bytes",
			make: setup(func(s *verbs.RCSetup) { s.PathMTU = 1024 })},
		{name: "a change of state that leaves one out", says: "ibv_modify_qp: .*(RESET|INIT).*RTR", make: func(b *bench) error {
			s := verbs.RCSetup{AV: b.path(), PathMTU: verbs.MTU1024}
			return b.qp(verbs.QPTypeRC).Modify(s.RTR())
		}},
		{name: "a GID of a port that the device lacks",
			says: "ibv_query_gid: .*at most the number of ports",
			make: func(b *bench) error {
				return only(b.dev.QueryGID(7, 0))
			}},
	}
}

const local = verbs.MRAccessLocalWrite

// mapped are pages with a protection, of a file or of none.
func (b *bench) mapped(bytes, prot, flags int, file *os.File) uintptr {
	fd := -1
	if file != nil {
		fd = int(file.Fd())
	} else {
		flags |= unix.MAP_ANON
	}
	m := must(unix.Mmap(fd, 0, bytes, prot, flags))
	b.t.Cleanup(func() { _ = unix.Munmap(m) })
	return uintptr(unsafe.Pointer(&m[0]))
}

// file is a file of one page.
func (b *bench) file() *os.File {
	f := must(os.CreateTemp(b.t.TempDir(), ""))
	b.t.Cleanup(func() { f.Close() })
	must(f, f.Truncate(4096))
	return f
}

// hole is the address of two pages, of which the second is not mapped.
func (b *bench) hole() uintptr {
	m := must(unix.Mmap(-1, 0, 3*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON))
	at := uintptr(unsafe.Pointer(&m[0]))
	must(0, unix.Mprotect(m[8192:], unix.PROT_NONE))
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, at+4096, 4096, 0); errno != 0 {
		panic(&prepareError{errno})
	}
	return at
}

func memoryMistakes() []mistake {
	const notMapped = `ibv_reg_mr(_iova2?|_ex)?: bad address \(EFAULT\); may be: bytes 0x\w+ to 0x\w+ of it are not mapped; register memory that is mapped`
	return []mistake{
		{name: "memory that is not mapped",
			says: notMapped,
			make: register(4096, func(b *bench) uintptr { return b.hole() + 4096 })},
		{name: "memory that ends in a hole",
			says: notMapped,
			make: register(8192, (*bench).hole)},
		{name: "memory that is not mapped, by attributes", says: notMapped, make: func(b *bench) error {
			return only(b.pd().RegMREx(verbs.NewMRInitAttr(4096, local).Memory(mem.Addr(b.hole()+4096, 4096))))
		}, on: []string{plain, mlx5, rxe61}},
		{name: "read-only memory that a device may write",
			says: "EFAULT.*are mapped read-only; register them without LOCAL_WRITE",
			make: register(4096, func(b *bench) uintptr { return b.mapped(4096, unix.PROT_READ, unix.MAP_PRIVATE, nil) })},
		{name: "a read-only mapping of a file that a device may write",
			says: `EFAULT.*are mapped read-only \(/.*\); register them without LOCAL_WRITE`,
			make: register(4096, func(b *bench) uintptr { return b.mapped(4096, unix.PROT_READ, unix.MAP_SHARED, b.file()) })},
		{name: "memory that nobody may read", says: "EFAULT.*are mapped without read permission",
			make: register(4096, func(b *bench) uintptr { return b.mapped(4096, unix.PROT_NONE, unix.MAP_PRIVATE, nil) })},
		{name: "pages behind the end of a file",
			says: `EFAULT.*bytes 0x\w+ to 0x\w+ of it are a (shared )?mapping of a file \(/.*\).*behind its end`,
			make: register(8192, func(b *bench) uintptr {
				return b.mapped(8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED, b.file())
			})},
		{name: "more memory than may be locked",
			says: `ibv_reg_mr: .*ENOMEM.*RLIMIT_MEMLOCK, is 64 KiB.*raise it \(ulimit -l`,
			on:   []string{plain, mlx5, rxe61},
			soft: []softverbs.Option{softverbs.MemlockLimit(64 << 10)},
			make: func(b *bench) error { return only(b.pd().RegMR(make([]byte, 128<<10), local)) }},
		{name: "more memory than may be locked, in two regions",
			says: `ibv_reg_mr: .*ENOMEM.*RLIMIT_MEMLOCK, is 64 KiB \(0 KiB locked and 48 KiB pinned now\); raise it \(ulimit -l`,
			on:   []string{plain, mlx5, rxe61},
			soft: []softverbs.Option{softverbs.MemlockLimit(64 << 10)},
			make: func(b *bench) error {
				pd := b.pd()
				must(pd.RegMR(make([]byte, 48<<10), local))
				return only(pd.RegMR(make([]byte, 48<<10), local))
			}},
		{name: "a region that is changed to memory that is not mapped",
			says: `ibv_rereg_mr: IBV_REREG_MR_ERR_CMD.*only closed: bad address \(EFAULT\); may be: bytes 0x\w+ to 0x\w+ of it are not mapped`,
			on:   []string{plain, mlx5}, // soft-RoCE does not change the memory of regions
			make: func(b *bench) error {
				return must(b.pd().RegMR(make([]byte, 4096), local)).Rereg(new(verbs.MRChange).Memory(mem.Addr(b.hole(), 8192)))
			}},
		{name: "a region of read-only memory that is changed to LOCAL_WRITE",
			says: "ibv_rereg_mr: .*EFAULT.*are mapped read-only; register them without LOCAL_WRITE",
			on:   []string{plain, mlx5}, // soft-RoCE does not look at the pages again
			make: func(b *bench) error {
				mr := must(b.pd().RegMRFrom(mem.Addr(b.mapped(4096, unix.PROT_READ, unix.MAP_PRIVATE, nil), 4096), 0))
				return mr.Rereg(new(verbs.MRChange).Access(local))
			}},
		{name: "REMOTE_WRITE without LOCAL_WRITE",
			says: "REMOTE_WRITE needs LOCAL_WRITE; add MRAccessLocalWrite",
			make: func(b *bench) error {
				return only(b.pd().RegMR(make([]byte, 64), verbs.MRAccessRemoteWrite))
			}},
	}
}

// lkeyText is what a device says of an lkey that is not of a region of the domain.
const lkeyText = `completed with (LOC_PROT_ERR|LOC_QP_OP_ERR|WR_FLUSH_ERR).*an? .*lkey.* (of another protection domain|wrong)`

func keyMistakes() []mistake {
	const rkeyText = "completed with REM_ACCESS_ERR.*most likely the rkey is wrong, of a closed region, or of another protection domain " +
		".*the range leaves"
	at := func(mr *verbs.MR) uint64 { return uint64(mr.Addr()) }
	keys := func(do func(l, r *link.End) error) func(*bench) error {
		return func(b *bench) error { return do(b.pair()) }
	}
	return []mistake{
		{name: "an lkey of no region", says: lkeyText, make: keys(func(l, r *link.End) error {
			return write(l, at(l.MR), l.MR.LKey()+0x100000, at(r.MR), r.MR.RKey())
		})},
		{name: "an lkey of another domain", says: lkeyText, make: keys(func(l, r *link.End) error {
			return write(l, at(r.MR), r.MR.LKey(), at(r.MR), r.MR.RKey())
		})},
		{name: "an lkey of a closed region", says: lkeyText, make: keys(func(l, r *link.End) error {
			key, from := l.MR.LKey(), at(l.MR)
			must(0, l.MR.Close())
			return write(l, from, key, at(r.MR), r.MR.RKey())
		})},
		{name: "bytes beyond the region",
			says: `completed with (LOC_PROT_ERR|WR_FLUSH_ERR).*(leaves|outside of) its region`,
			make: keys(func(l, r *link.End) error {
				return write(l, at(l.MR)+l.MR.Length()-4, l.MR.LKey(), at(r.MR), r.MR.RKey())
			})},
		{name: "an rkey of no region", says: rkeyText, make: keys(func(l, r *link.End) error {
			return write(l, at(l.MR), l.MR.LKey(), at(r.MR), r.MR.RKey()+0x100000)
		})},
		{name: "an rkey of another domain than the peer's", says: rkeyText, make: keys(func(l, r *link.End) error {
			return write(l, at(l.MR), l.MR.LKey(), at(l.MR), l.MR.RKey())
		})},
		{name: "the peer's memory beyond its region", says: rkeyText, make: keys(func(l, r *link.End) error {
			return write(l, at(l.MR), l.MR.LKey(), at(r.MR)+r.MR.Length()-4, r.MR.RKey())
		})},
		{name: "a write to a region without REMOTE_WRITE",
			says: rkeyText + ".*lacks the right",
			make: keys(func(l, r *link.End) error {
				mr := must(r.PD.RegMR(make([]byte, 64), local))
				return write(l, at(l.MR), l.MR.LKey(), at(mr), mr.RKey())
			})},
	}
}

func peerMistakes() []mistake {
	send := func(bytes int) func(l *link.End) error {
		return func(l *link.End) error {
			return post(l, func(wr verbs.SendWR) { wr.Send(1).SGE(uint64(l.MR.Addr()), uint32(bytes), l.MR.LKey()) })
		}
	}
	return []mistake{
		{name: "a peer that is gone", says: "completed with RETRY_EXC_ERR.*the peer did not answer", make: func(b *bench) error {
			l, r := b.pair()
			must(0, r.QP.Close())
			return send(8)(l)
		}},
		{name: "a port that is down",
			says: `completed with (LOC_QP_OP_ERR|RETRY_EXC_ERR|WR_FLUSH_ERR).*port (went|is) down`,
			on:   []string{plain, mlx5, rxe61},
			make: func(b *bench) error {
				l, _ := b.pair()
				must(0, b.soft.SetPort(b.soft.Names()[0], 1, false))
				return send(8)(l)
			}},
		{name: "a failed completion of a reader without QPNum",
			says: "request 1, whose queue pair is not known since the reader does not read QPNum, completed",
			make: func(b *bench) error {
				c := link.Default()
				c.Fields = verbs.WCFieldByteLen
				here := must(link.First(b.dev))
				l, r, err := c.Pair(here, here)
				must(0, err)
				batch := must(verbs.NewSendBatch(1, 1))
				defer batch.Close()
				batch.WR(0).Write(1, uint64(r.MR.Addr()), r.MR.RKey()+0x100000).SGE(uint64(l.MR.Addr()), 8, l.MR.LKey()).Flags(verbs.SendSignaled)
				must(l.QP.PostSend(batch, 1))
				var wcs [1]verbs.WCEx
				reader := must(l.CQ.Reader(verbs.WCFieldByteLen))
				for late := time.Now().Add(time.Minute); time.Now().Before(late); {
					if n, err := reader.PollInto(wcs[:]); n > 0 || err != nil {
						return wcs[0].Err()
					}
				}
				return fmt.Errorf("nothing completed")
			}, on: []string{plain, mlx5, kernel}},
	}
}

func silentMistakes() []mistake {
	return []mistake{
		{name: "a connection with hop limit 0", hint: true,
			says: "hop_limit 0, packets do not pass a router; set .* to 64",
			make: setup(func(s *verbs.RCSetup) { s.AV.HopLimit = 0 })},
		{name: "an address with hop limit 0", hint: true,
			says: "hop_limit 0, packets do not pass a router; set .* to 64",
			make: address(func(at *verbs.AHAttr) { at.HopLimit = 0 })},
		{name: "a request for events of a queue without a channel", hint: true,
			says: "ibv_req_notify_cq: .*has no completion channel.*; create the queue with a channel",
			make: func(b *bench) error { return b.cq().ReqNotify(false) }},
		{name: "a datagram longer than the MTU", hint: true,
			says: `ibv_post_send: .*8192.*a datagram is not longer than the MTU of the port \(active_mtu is \d+\)`,
			make: func(b *bench) error {
				qp := b.qp(verbs.QPTypeUD)
				must(0, verbs.UDSetup{PortNum: 1, QKey: 1}.ToRTS(qp))
				return b.datagram(qp, func(batch *verbs.SendBatch) error { return only(qp.PostSend(batch, 1)) })
			}},
		{name: "a datagram longer than the MTU, by a stream", hint: true,
			says: `ibv_wr_start: .*8192.*a datagram is not longer than the MTU of the port \(active_mtu is \d+\)`,
			make: func(b *bench) error {
				cq := b.cq()
				qp := must(b.dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeUD, cq, cq, b.pd()).MaxSendWR(4).
					MaxSendSGE(1).SendOps(verbs.QPOpSend)))
				must(0, verbs.UDSetup{PortNum: 1, QKey: 1}.ToRTS(qp))
				return b.datagram(qp, func(batch *verbs.SendBatch) error {
					return only(must(qp.Stream()).Post(batch, 1))
				})
			}},
		{name: "a wait for a queue without a channel", says: "channel", make: func(b *bench) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			return only(b.cq().Wait(ctx, make([]verbs.WC, 1)))
		}},
	}
}

// datagram posts a message of 8 KiB.
func (b *bench) datagram(qp *verbs.QP, post func(*verbs.SendBatch) error) error {
	mr := must(qp.PD().RegMR(make([]byte, 8192), local))
	batch := must(verbs.NewSendBatch(1, 1))
	defer batch.Close()
	ah := must(qp.PD().CreateAH(b.path()))
	must(0, ah.Address(batch.WR(0).Send(1), qp.Num(), 1))
	batch.WR(0).SGE(uint64(mr.Addr()), 8192, mr.LKey()).Flags(verbs.SendSignaled)
	return post(batch)
}

func limitMistakes() []mistake {
	return []mistake{
		{name: "too many open files for a channel",
			says: `too many open files \(EMFILE\).*RLIMIT_NOFILE.*raise the limit`,
			make: func(b *bench) error {
				return withFiles(0, func() error { return only(b.dev.CreateCompChannel()) })
			}},
		{name: "a queue larger than the device has",
			says: `ibv_create_cq: .*cqe is at most max_cqe, \d+ on this device`,
			make: func(b *bench) error {
				return only(b.dev.CreateCQ(1<<30, nil, 0))
			}},
		{name: "a queue pair larger than the device has",
			says: `ibv_create_qp: .*max_send_wr.*at most max_qp_wr, \d+ on this device`,
			make: func(b *bench) error {
				cq := b.cq()
				return only(b.pd().CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1 << 24, MaxSendSGE: 1}))
			}},
	}
}
