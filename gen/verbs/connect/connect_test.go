//go:build linux && cgo

package connect

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/verbstest"
)

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func options(data string) Options {
	setup := DefaultSetup()
	setup.MaxRDAtomic, setup.MaxDestRDAtomic = 4, 2
	return Options{Setup: &setup, HopLimit: 1, Data: []byte(data)}
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// meeting has two queue pairs meet over a pipe.
func meeting(t *testing.T, f func(context.Context, net.Conn, *verbs.QP, Options) (*Peer, error), a, b *verbs.QP,
	oa, ob Options) (pa, pb *Peer) {
	t.Helper()
	near, far := net.Pipe()
	return meetingOver(t, near, far, f, a, b, oa, ob)
}

// meetingOver has them meet over a connection.
func meetingOver(t *testing.T, near, far net.Conn, f func(context.Context, net.Conn, *verbs.QP, Options) (*Peer, error), a, b *verbs.QP,
	oa, ob Options) (pa, pb *Peer) {
	t.Helper()
	defer near.Close()
	defer far.Close()
	other := make(chan error, 1)
	go func() {
		var err error
		pb, err = f(soon(t), far, b, ob)
		other <- err
	}()
	pa, err := f(soon(t), near, a, oa)
	check(t, errors.Join(err, <-other))
	return pa, pb
}

// TestUC connects unreliable queue pairs, with what such queue pairs have of the setup.
func TestUC(t *testing.T) {
	a, b := newQP(t, verbs.QPTypeUC), newQP(t, verbs.QPTypeUC)
	small := options("from a")
	small.Setup.PathMTU, small.Setup.AccessFlags = verbs.MTU512, verbs.QPAccessRemoteWrite
	pa, pb := meeting(t, UC, a, b, small, Options{})
	if string(pb.Data) != "from a" || pa.QPN != b.Num() || pb.QPN != a.Num() {
		t.Errorf("%+v, %+v", pa, pb)
	}
	for i, qp := range []*verbs.QP{a, b} {
		info, _, err := qp.Query()
		check(t, err)
		if info.State != verbs.QPStateRTS || info.PathMTU != verbs.MTU512 || (info.AccessFlags == verbs.QPAccessRemoteWrite) != (i == 0) {
			t.Errorf("queue pair %d: %+v", i, info)
		}
	}
}

// TestUD has one queue pair for datagrams meet two others, each with a key of its own, and send to both.
func TestUD(t *testing.T) {
	server := newQP(t, verbs.QPTypeUD)
	var keys []uint32
	for i := range 2 {
		client := newQP(t, verbs.QPTypeUD)
		of, there := meeting(t, UD, server, client, Options{}, Options{QKey: uint32(1 + i)})
		if of.QKey != uint32(1+i) || of.QPN != client.Num() || there.QPN != server.Num() || of.Path.DGID != of.GID {
			t.Errorf("the server learned %+v, the client %+v", of, there)
		}
		for _, qp := range []*verbs.QP{server, client} {
			if info, _, err := qp.Query(verbs.QPFieldState); err != nil || info.State != verbs.QPStateRTS {
				t.Errorf("%+v, %v", info, err)
			}
		}
		ah, err := server.PD().CreateAH(of.Path)
		check(t, err)
		if err := ah.Close(); err != nil {
			t.Error(err)
		}
		keys = append(keys, there.QKey)
	}
	if keys[0] == 0 || keys[0] != keys[1] || keys[0]>>31 != 0 {
		t.Errorf("keys of the server: %#x", keys)
	}
}

// given has what RC makes of options.
func given(o Options) *settings { return &settings{RCSetup: *o.Setup, hops: o.HopLimit, data: o.Data} }

// newQP makes a queue pair on a device of its own.
func newQP(t *testing.T, kind verbs.QPType) *verbs.QP {
	t.Helper()
	_, dev := verbstest.Open(t, verbs.LoadFrom)
	pd, err := dev.AllocPD()
	check(t, err)
	cq, err := dev.CreateCQ(8, nil, 0)
	check(t, err)
	qp, err := pd.CreateQP(verbs.QPInitAttr{Type: kind, SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1})
	check(t, err)
	t.Cleanup(func() {
		if err := errors.Join(pd.CloseAll(), cq.Close()); err != nil {
			t.Error(err)
		}
	})
	return qp
}

// TestConnect connects two queue pairs, over a pipe and over TCP, with different wishes on each side.
func TestConnect(t *testing.T) {
	pipe := func() (net.Conn, net.Conn) { return net.Pipe() }
	tcp := func() (net.Conn, net.Conn) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		check(t, err)
		defer ln.Close()
		near, err := net.Dial("tcp", ln.Addr().String())
		check(t, err)
		far, err := ln.Accept()
		check(t, err)
		return near, far
	}
	for name, conns := range map[string]func() (net.Conn, net.Conn){"pipe": pipe, "tcp": tcp} {
		t.Run(name, func(t *testing.T) {
			near, far := conns()
			qps := []*verbs.QP{newQP(t, verbs.QPTypeRC), newQP(t, verbs.QPTypeRC)}
			small := options("from near")
			small.Setup.PathMTU = verbs.MTU512
			small.Setup.AV = verbs.AHAttr{SL: 3, FlowLabel: 0x12345, TrafficClass: 106, DLID: 9}
			gid, err := qps[0].Device().QueryGID(1, 1)
			check(t, err)
			small.GID = gid
			a, b := meetingOver(t, near, far, RC, qps[0], qps[1], small, options("from far"))
			if string(a.Data) != "from far" || string(b.Data) != "from near" || a.QPN != qps[1].Num() || b.QPN != qps[0].Num() {
				t.Errorf("%+v, %+v", a, b)
			}
			for i, qp := range qps {
				info, _, err := qp.Query()
				check(t, err)
				peer := []*Peer{a, b}[i]
				if info.State != verbs.QPStateRTS || info.PathMTU != verbs.MTU512 || peer.MTU != verbs.MTU512 || info.MaxRDAtomic != 2 ||
					info.AV.DGID != peer.GID || peer.GID == (verbs.GID{}) {
					t.Errorf("queue pair %d: %+v, %+v", i, info, peer)
				}
				av := info.AV
				if i == 0 && (av.SL != 3 || av.FlowLabel != 0x12345 || av.TrafficClass != 106 || av.DLID != 0) || i == 1 && peer.GID != gid {
					t.Errorf("queue pair %d: %+v, %+v", i, av, peer)
				}
			}
		})
	}
}

// TestBadPeer has a peer that is none: each time the error says what came, or did not.
func TestBadPeer(t *testing.T) {
	good := (&hello{kind: verbs.QPTypeRC, link: verbs.LinkLayerEthernet, mtu: verbs.MTU1024, qpn: 1,
		gids: []entry{{gid: verbs.GID{10: 0xff, 11: 0xff, 12: 10, 15: 1}}}, data: []byte("data")}).wire()
	with := func(at int, b byte) []byte {
		out := bytes.Clone(good)
		out[at] = b
		return out
	}
	for _, c := range []struct {
		what  string
		sends []byte
		want  string
	}{
		{"nothing", nil, "before it sent its address (0 of 5 bytes came)"},
		{"too little of an address", good[:9], "before it sent its address (4 of 22 bytes came)"},
		{"too little of the GIDs", good[:headLength+3], "before it sent its GIDs (3 of 16 bytes came)"},
		{"too little of the data", good[:len(good)-1], "before it sent its data (3 of 4 bytes came)"},
		{"another program", []byte("GET / HTTP/1.1\r\n\r\n"), `the peer begins with "GET ", not "RDMA"; is there another program`},
		{"another version", with(4, 2), "the peer speaks version 2, and this side version 1; run the same program on both"},
		{"a number of 32 bits", with(10, 1), "both have 24 bits"},
		{"no MTU", with(6, 0), "the MTU code 0; it is 1 to 5"},
		{"too many GIDs", with(19, maxGIDs+1), "announces 65 GIDs"},
		{"too much data", with(20, 0xff), "bytes of data; the most are 64 and 4096"},
		{"another type", with(22, byte(verbs.QPTypeUC)), "a queue pair of type UC, and this side one of type RC; call the same function"},
		{"another network", with(5, 1), "use ports of one network"},
		{"no GID in common", (&hello{kind: verbs.QPTypeRC, link: verbs.LinkLayerEthernet, mtu: verbs.MTU1024, qpn: 1,
			gids: []entry{{gid: verbs.GID{0: 0x20}}}}).wire(), "give both interfaces an IPv4 address"},
		{"an address, and then nothing", good, "before it sent that it is connected"},
		{"an address that it cannot use", append(bytes.Clone(good), failed), "the peer could not connect its queue pair"},
	} {
		t.Run(c.what, func(t *testing.T) {
			near, far := net.Pipe()
			defer near.Close()
			go func() {
				heard := make(chan bool)
				go func() {
					readHello(far)
					close(heard)
					io.Copy(io.Discard, far)
				}()
				far.Write(c.sends)
				<-heard
				far.Close()
			}()
			if _, err := RC(soon(t), near, newQP(t, verbs.QPTypeRC), options("")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// TestSilentPeer has a peer that neither reads nor writes: the conversation ends at the deadline of the context, and by its end.
func TestSilentPeer(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	qp, other := newQP(t, verbs.QPTypeRC), newQP(t, verbs.QPTypeRC)
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := RC(short, near, qp, options("")); !errors.Is(err, os.ErrDeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "did not send its address in time") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, err := RC(ctx, near, other, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestHasty has a connection whose deadline passes long before that of the context, which is not waited for.
func TestHasty(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err := RC(ctx, hasty{near}, newQP(t, verbs.QPTypeRC), options(""))
	if !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// hasty is a connection whose deadlines are in the past.
type hasty struct{ net.Conn }

func (h hasty) SetDeadline(time.Time) error { return h.Conn.SetDeadline(time.Unix(1, 0)) }

// TestWrongUse refuses what cannot work before anything is said.
func TestWrongUse(t *testing.T) {
	qp := newQP(t, verbs.QPTypeRC)
	for want, change := range map[string]func(*Options){
		"4097 bytes of data":      func(o *Options) { o.Data = make([]byte, MaxData+1) },
		"ports are numbered from": func(o *Options) { o.Setup.PortNum = 0 },
		"has no GID fe80::77":     func(o *Options) { o.GID = verbs.GID{0: 0xfe, 1: 0x80, 15: 0x77} },
	} {
		o := options("")
		change(&o)
		near, far := net.Pipe()
		peer, other := make(chan error), newQP(t, verbs.QPTypeRC)
		go func() {
			_, err := RC(t.Context(), far, other, options(""))
			peer <- err
		}()
		if _, err := RC(soon(t), near, qp, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if err := <-peer; err == nil || !strings.Contains(err.Error(), "the peer gave up") {
			t.Errorf("the peer: %v", err)
		}
	}
	if _, err := RC(soon(t), nil, qp, Options{}); err == nil || !strings.Contains(err.Error(), "is nil") {
		t.Errorf("without a connection: %v", err)
	}
}

// TestChoose: both sides choose the same GIDs, of one kind and network.
func TestChoose(t *testing.T) {
	list := func(texts ...string) (out []entry) {
		for i, text := range texts {
			gid, err := verbs.ParseGID(text)
			check(t, err)
			out = append(out, entry{gid, uint8(i)})
		}
		return out
	}
	for _, c := range []struct {
		mine, theirs []entry
		from, to     uint8
		none         bool
	}{
		{mine: list("fe80::1", "10.0.0.1"), theirs: list("fe80::2", "10.0.0.2"), from: 1, to: 1},
		{mine: list("fe80::1", "10.0.0.1", "192.168.7.1"), theirs: list("192.168.7.2", "fe80::2"), from: 2, to: 0},
		{mine: list("fe80::1", "2001:db8::1"), theirs: list("2001:db8::2", "10.0.0.1"), from: 1, to: 0},
		{mine: list("fe80::1", "10.0.0.1"), theirs: list("fe80::9", "2001:db8::1"), from: 0, to: 0},
		{mine: list("10.0.0.1", "10.0.0.2"), theirs: list("10.0.0.2", "10.0.0.1"), from: 0, to: 1}, // one device
		{mine: list("10.1.0.1", "10.2.0.1"), theirs: list("10.2.0.2", "10.1.0.2"), from: 0, to: 1},
		{mine: list("10.0.0.1"), theirs: list("fe80::1"), none: true},
		{theirs: list("fe80::1"), none: true},
	} {
		from, to, ok := choose(c.mine, c.theirs)
		back, forth, also := choose(c.theirs, c.mine)
		if ok != !c.none || ok != also || from.index != c.from || to.index != c.to {
			t.Errorf("%v, %v: %v, %v, %t", c.mine, c.theirs, from, to, ok)
		}
		if from != forth || to != back {
			t.Errorf("%v, %v: this side chooses %v, %v, and the other %v, %v", c.mine, c.theirs, from, to, forth, back)
		}
	}
}

// TestInfiniBand reaches a peer by its LID.
func TestInfiniBand(t *testing.T) {
	o := given(options(""))
	self, peer := &hello{link: verbs.LinkLayerInfiniband, lid: 3}, &hello{link: verbs.LinkLayerInfiniband, lid: 4}
	if path, gid, err := route(self, peer, o); err != nil || gid != (verbs.GID{}) || path != (verbs.AHAttr{PortNum: 1, DLID: 4}) {
		t.Error(path, gid, err)
	}
	self.gids, peer.gids = []entry{{gid: verbs.GID{0: 0xfe, 15: 1}}}, []entry{{gid: verbs.GID{0: 0xfe, 7: 1, 15: 2}}}
	if _, _, err := route(self, peer, o); err == nil || !strings.Contains(err.Error(), "another subnet") {
		t.Error(err)
	}
	peer.gids, peer.lid = self.gids, 0
	if _, _, err := route(self, peer, o); err == nil || !strings.Contains(err.Error(), "start a subnet manager") {
		t.Error(err)
	}
}

// TestPair connects two queue pairs of a process; one that cannot connect does not leave the other waiting.
func TestPair(t *testing.T) {
	a, b := newQP(t, verbs.QPTypeRC), newQP(t, verbs.QPTypeRC)
	check(t, Pair(soon(t), a, b, options("")))
	for _, qp := range []*verbs.QP{a, b} {
		if info, _, err := qp.Query(verbs.QPFieldState); err != nil || info.State != verbs.QPStateRTS {
			t.Errorf("%+v, %v", info, err)
		}
	}
	c, gone := newQP(t, verbs.QPTypeRC), newQP(t, verbs.QPTypeRC)
	check(t, gone.Close())
	for _, pair := range [][2]*verbs.QP{{c, gone}, {gone, c}} {
		if err := Pair(t.Context(), pair[0], pair[1], options("")); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	}
}
