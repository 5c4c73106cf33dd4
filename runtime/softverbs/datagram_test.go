//go:build linux && cgo

package softverbs_test

import (
	"encoding/binary"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func (e *end) ah(to *end, index int) harness.Obj {
	e.b.Helper()
	g, err := e.b.lib.GID(to.ctx, 1, index)
	e.b.ok(err)
	return e.b.must(e.b.lib.CreateAH(e.pd, harness.AH{
		DGID: g, SGIDIndex: uint8(index), HopLimit: 64, TClass: 0x12, FlowLabel: 0x34567, Port: 1, Global: true,
	}))
}

func datagram(x, y *end, ah harness.Obj, n uint64) harness.SendWR {
	return harness.SendWR{Opcode: opSend, Flags: signaled, SGEs: []harness.SGE{x.sge(0, n)}, AH: ah, QPN: harness.QPNum(y.qp), QKey: qkey}
}

func TestDatagram(t *testing.T) {
	for devices := 1; devices <= 2; devices++ {
		b := two(t)
		x, y := b.pair(plan{typ: ud}, devices)
		copy(x.mem, "datagram")
		for index := range 2 {
			ah := x.ah(y, index)
			y.recv(harness.RecvWR{ID: 4, SGEs: []harness.SGE{y.sge(0, 48)}})
			w := datagram(x, y, ah, 8)
			w.Opcode, w.Imm = opSendImm, 77
			x.send(w)
			b.ok(b.lib.End("ibv_destroy_ah", ah)) // the request has what it needs
			wc := b.wait(y.rcq, 1)[0]
			want := harness.WC{ID: 4, Opcode: cRecv, Len: 48, Imm: 77, QPN: harness.QPNum(y.qp), From: harness.QPNum(x.qp), Flags: fGRH | fImm}
			if wc != want {
				t.Errorf("got %+v, want %+v", wc, want)
			}
			if string(y.mem[40:48]) != "datagram" {
				t.Errorf("received %q", y.mem[40:48])
			}
			b.wait(x.scq, 1)
			from, err := b.lib.GID(x.ctx, 1, index)
			b.ok(err)
			if index == 0 { // IPv6: version, class and flow label, then the addresses
				if v := binary.BigEndian.Uint32(y.mem); v != 0x61234567 || [16]byte(y.mem[8:24]) != from || y.mem[7] != 64 {
					t.Errorf("header % x", y.mem[:40])
				}
			} else if y.mem[20] != 0x45 || [4]byte(y.mem[32:36]) != [4]byte(from[12:]) {
				t.Errorf("header % x", y.mem[:40])
			}
		}
	}
}

// What does not arrive is no error of the sender.
func TestLostDatagrams(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{typ: ud}, 2)
	ah := x.ah(y, 0)
	nowhere := b.must(b.lib.CreateAH(x.pd, harness.AH{DGID: [16]byte{0xff, 2, 15: 99}, HopLimit: 1, Port: 1, Global: true}))
	good := datagram(x, y, ah, 8)
	x.send(good) // nothing to receive into
	b.wait(x.scq, 1)
	y.recv(harness.RecvWR{ID: 1, SGEs: []harness.SGE{y.sge(0, 100)}})
	for what, change := range map[string]func(w *harness.SendWR){
		"other Q_Key":        func(w *harness.SendWR) { w.QKey++ },
		"no such queue pair": func(w *harness.SendWR) { w.QPN += 5 },
		"nobody's address":   func(w *harness.SendWR) { w.AH = nowhere },
		"longer than a path": func(w *harness.SendWR) { w.SGEs[0].Len = 4097 },
	} {
		w := datagram(x, y, ah, 8)
		change(&w)
		x.send(w)
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcSuccess {
			t.Errorf("%s: %+v", what, wc)
		}
	}
	b.none(y.rcq)
	x.send(good)
	if wc := b.wait(y.rcq, 1)[0]; wc.ID != 1 {
		t.Errorf("%+v", wc)
	}
	b.wait(x.scq, 1)
	y.recv(harness.RecvWR{ID: 2, SGEs: []harness.SGE{y.sge(0, 47)}})
	x.send(good)
	if wc := b.wait(y.rcq, 1)[0]; wc.Status != wcLocQPOp { // too small: an error of the receiver alone
		t.Errorf("%+v", wc)
	}
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcSuccess {
		t.Errorf("%+v", wc)
	}
	b.state(sErr, y)
	w := good
	w.Opcode = opWrite
	x.send(w)
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcLocQPOp {
		t.Errorf("write on UD: %+v", wc)
	}
	for _, o := range []harness.Obj{ah, nowhere} {
		b.ok(b.lib.End("ibv_destroy_ah", o))
	}
}

func TestAddressHandleVerdicts(t *testing.T) {
	b := open(t)
	g, err := b.lib.GID(b.ctx, 1, 0)
	b.ok(err)
	good := harness.AH{DGID: g, HopLimit: 1, Port: 1, Global: true}
	for _, c := range []struct {
		what   string
		change func(*harness.AH)
		want   syscall.Errno
	}{
		{"as it should be", func(*harness.AH) {}, 0},
		{"port 0", func(a *harness.AH) { a.Port = 0 }, syscall.EINVAL},
		{"port 2", func(a *harness.AH) { a.Port = 2 }, syscall.EINVAL},
		{"not global", func(a *harness.AH) { a.Global = false }, syscall.EINVAL},
		{"empty GID entry", func(a *harness.AH) { a.SGIDIndex = 2 }, syscall.ENODATA},
		{"last GID index", func(a *harness.AH) { a.SGIDIndex = 255 }, syscall.ENODATA},
		{"IPv4 address of nobody", func(a *harness.AH) { a.DGID = [16]byte{10: 0xff, 0xff, 10, 9, 9, 9} }, syscall.ETIMEDOUT},
		{"link-local address of nobody", func(a *harness.AH) { a.DGID[15]++ }, syscall.ETIMEDOUT},
		{"address that no route leads to", func(a *harness.AH) { a.DGID = [16]byte{0x20, 1, 15: 1} }, syscall.ENETUNREACH},
		{"no address", func(a *harness.AH) { a.DGID = [16]byte{} }, syscall.ENETUNREACH},
		{"address of many", func(a *harness.AH) { a.DGID = [16]byte{0xff, 2, 15: 1} }, 0},
	} {
		a := good
		c.change(&a)
		ah, err := b.lib.CreateAH(b.pd, a)
		t.Log(c.what)
		b.want(c.want, err)
		if err == nil {
			b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", b.pd))
			b.ok(b.lib.End("ibv_destroy_ah", ah))
			b.want(syscall.EINVAL, b.lib.End("ibv_destroy_ah", ah))
		}
	}
}

func TestAddressTables(t *testing.T) {
	b := open(t, softverbs.GUID(0x0011_2233_4455_6677), softverbs.Ports(2), softverbs.AnotherDevice("soft1"))
	g, err := b.lib.GID(b.ctx, 1, 0)
	if b.ok(err); g != [16]byte{0xfe, 0x80, 8: 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77} {
		t.Errorf("gid 0: % x", g)
	}
	if g, err = b.lib.GID(b.ctx, 1, 5); g != [16]byte{} || err != nil { // empty is no error
		t.Errorf("gid 5: % x, %v", g, err)
	}
	_, err = b.lib.GID(b.ctx, 3, 0)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.GID(b.ctx, 1, 1024)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.GIDEx(b.ctx, 1, 5)
	b.want(syscall.ENODATA, err)
	all, err := b.lib.GIDTable(b.ctx, 8)
	if b.ok(err); len(all) != 4 || all[3].Port != 2 || all[3].Index != 1 {
		t.Errorf("table %+v", all)
	}
	seen := map[[16]byte]bool{}
	other := b.openDevice(1)
	more, err := b.lib.GIDTable(other, 8)
	b.ok(err)
	for _, e := range append(all, more...) {
		if seen[e.GID] {
			t.Errorf("% x twice", e.GID)
		}
		seen[e.GID] = true
		if g, err := b.lib.GIDEx(b.ctx, 1, 1); err != nil || g != all[1] {
			t.Errorf("%+v, %v", g, err)
		}
	}
	b.lib.CloseDevice(other)
	_, err = b.lib.GIDTable(b.ctx, 3)
	b.want(syscall.EINVAL, err)
	if k, err := b.lib.PKey(b.ctx, 1, 0); k != 0xffff || err != nil {
		t.Errorf("pkey 0x%x, %v", k, err)
	}
	if _, err := b.lib.PKey(b.ctx, 1, 1); err == nil {
		t.Error("a second pkey")
	}
}
