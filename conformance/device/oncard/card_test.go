//go:build linux && cgo

package oncard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDevices shows that the devices are those of the real libmlx5: it is the installed one, and it answers for them.
func TestDevices(t *testing.T) {
	var names []string
	for _, d := range must(must(verbs.Load())(t).Devices())(t) {
		names = append(names, d.Name)
	}
	for _, name := range card.Devices {
		if !strings.Contains(strings.Join(names, " "), name) {
			t.Errorf("devices %v, without %s", names, name)
			continue
		}
		attr := must(open(t, name).QueryDeviceEx())(t)
		if attr.OrigAttr.VendorID != 0x2c9 || attr.MaxDMSize != 256<<10 {
			t.Errorf("%s: vendor %#x, %d bytes of device memory", name, attr.OrigAttr.VendorID, attr.MaxDMSize)
		}
	}
	lib := mapped(t, "libmlx5*.so*")
	if lib == "" || !strings.HasPrefix(lib, "/usr/lib") {
		t.Errorf("libmlx5 is %q, not an installed one", lib)
	}
	t.Log(lib)
}

// TestLook has a program look for the device itself: it is there, on a PCI bus.
func TestLook(t *testing.T) {
	said, err := exec.Command(compiled(t, "testdata/look.c")).CombinedOutput()
	if err != nil || string(said) != "0000:03:00.0\n" {
		t.Errorf("%v, %q", err, said)
	}
}

// TestFork runs testdata/fork.c: a process and its child use a device.
func TestFork(t *testing.T) {
	said, err := exec.Command(compiled(t, "testdata/fork.c", "-libverbs")).CombinedOutput()
	if err != nil || string(said) != "in the child\nin the parent\n" {
		t.Errorf("%v, %q", err, said)
	}
}

// traffic runs TestTraffic in a child and returns the file that the card writes with a variable of the environment.
func traffic(t *testing.T, variable string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(must(os.Executable())(t), "-test.run=^TestTraffic$")
	cmd.Env = append(os.Environ(), variable+"="+file)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return must(os.ReadFile(file))(t)
}

// TestLog has the log name requests, receives and completions.
func TestLog(t *testing.T) {
	log := traffic(t, "CARD_LOG")
	for _, want := range []string{
		`qp 0x[0-9a-f]+ receive 0 of 64 bytes for 7: status 0\n`, `cq 0x[0-9a-f]+ completion of receive 0, 7 bytes: status 0\n`,
		`qp 0x[0-9a-f]+ request 0 SEND of 7 bytes: status 0\n`, `qp 0x[0-9a-f]+ request 2 READ of 7 bytes: status 0\n`,
	} {
		if !regexp.MustCompile(want).Match(log) {
			t.Errorf("no line %s in\n%s", want, log)
		}
	}
}

// TestCapture has the capture show the packets of sends, writes, reads and what answers them, whose lengths agree in all headers.
func TestCapture(t *testing.T) {
	b := traffic(t, "CARD_PCAP")[24:]
	seen := map[byte]int{}
	for len(b) > 0 {
		n := binary.NativeEndian.Uint32(b[8:])
		p := b[16:][:n]
		b = b[16+n:]
		if p[12] != 0x86 || p[13] != 0xdd || p[20] != 17 { // the GIDs at index 0 are of IPv6
			t.Fatalf("no UDP on IPv6: % x", p)
		}
		ip, udp, port := int(binary.BigEndian.Uint16(p[18:])), int(binary.BigEndian.Uint16(p[58:])), binary.BigEndian.Uint16(p[56:])
		if ip != len(p)-54 || udp != ip || port != 4791 {
			t.Errorf("%d bytes: %d by IPv6, %d by UDP to port %d", len(p), ip, udp, port)
		}
		seen[p[62]]++
	}
	for op, what := range map[byte]string{5: "SEND", 10: "WRITE", 12: "READ", 16: "answer of READ", 17: "acknowledgement"} {
		if seen[op] == 0 {
			t.Errorf("no %s among %v", what, seen)
		}
	}
}

// TestMappedWithoutCard maps device memory by the system call alone, which the card does not see, as programs do that replace mmap.
func TestMappedWithoutCard(t *testing.T) {
	dev := open(t, card.Devices[0])
	const deviceMemory, page = 8, 4096 // MLX5_IB_MMAP_DEVICE_MEM
	for i := range 300 {               // the index of an entry has two parts in an offset
		dm := must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
		must(dm.WriteAt([]byte{byte(i), byte(i >> 8), 'd', 'm'}, 0))(t)
		at := int64(i&0xff | deviceMemory<<8 | i>>8<<16)
		m := must(syscall.Mmap(dev.CmdFD(), at*page, page, syscall.PROT_READ, syscall.MAP_SHARED))(t)
		if !bytes.Contains(m, []byte{byte(i), byte(i >> 8), 'd', 'm'}) {
			t.Fatalf("page %d of the open file is not that of the memory", at)
		}
		must(0, syscall.Munmap(m))(t)
	}
}

// pair connects two queue pairs, one on each device.
func pair(t testing.TB, c link.Config) (a, b *link.End) {
	t.Helper()
	return c.Connected(t, open(t, card.Devices[0]), open(t, card.Devices[1]))
}

// succeeds has a post one request, which fill describes, and waits for its completion.
func succeeds(t *testing.T, a *link.End, fill func(verbs.SendWR)) {
	t.Helper()
	if wc := a.Do(t, fill); wc.Err() != nil {
		t.Fatal(wc.Err())
	}
}

// TestTraffic sends, writes and reads between two devices: the real libmlx5 writes the requests and parses the completions.
func TestTraffic(t *testing.T) {
	a, b := pair(t, link.Default())
	b.Recv(t, 7, 100, 64)
	copy(a.Buf, "message")
	succeeds(t, a, func(w verbs.SendWR) { w.SendImm(1, 0xabcd).Add(a.MR.UncheckedSGE(0, 7)) })
	wc := must(b.Wait())(t)
	if wc.ID != 7 || wc.ByteLen != 7 || wc.ImmData != 0xabcd || wc.Err() != nil || string(b.Buf[100:107]) != "message" {
		t.Errorf("received %+v, %q", wc, b.Buf[100:107])
	}
	to, key := b.MR.UncheckedSGE(200, 8).Addr, b.MR.RKey()
	succeeds(t, a, func(w verbs.SendWR) { w.Write(2, to, key).Add(a.MR.UncheckedSGE(0, 7)) })
	if string(b.Buf[200:207]) != "message" {
		t.Errorf("written: %q", b.Buf[200:207])
	}
	succeeds(t, a, func(w verbs.SendWR) { w.Read(3, to, key).Add(a.MR.UncheckedSGE(300, 7)) })
	if string(a.Buf[300:307]) != "message" {
		t.Errorf("read: %q", a.Buf[300:307])
	}
}

// TestPostedBeforeDestroy destroys queue pairs at once after a post: a card has taken the request by then.
func TestPostedBeforeDestroy(t *testing.T) {
	for i := range 20 {
		a, b := pair(t, link.Default())
		time.Sleep(5 * time.Millisecond) // the card's thread rests
		a.Buf[0] = 1
		a.Post(t, func(w verbs.SendWR) { w.Write(1, b.MR.IOVA(), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 1)) })
		must(0, a.QP.Close())(t)
		if b.Buf[0] != 1 {
			t.Fatalf("round %d: nothing arrived", i)
		}
	}
}

// TestEventBeforeDestroy posts a request that ends with an event of the queue pair, and destroys it at once: no event is left for the next
// queue pair at that address, whose destruction would wait for it.
func TestEventBeforeDestroy(t *testing.T) {
	place := must(link.First(open(t, card.Devices[0])))(t)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	defer batch.Close()
	ended := make(chan error)
	go func() {
		for range 100 {
			e, err := link.Default().NewEnd(place)
			if err != nil {
				ended <- err
				return
			}
			batch.WR(0).Write(1, 0, 0).Add(e.MR.UncheckedSGE(0, 1)).Flags(verbs.SendSignaled)
			err = e.ConnectTo(e)
			if err == nil {
				_, err = e.QP.PostSend(batch, 1)
			}
			if err = errors.Join(err, e.QP.Close(), e.Close()); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a queue pair waits for an event of an earlier one")
	}
}

// TestLongReceive posts a receive that reaches beyond its region. A message that fills what is inside arrives; a longer one does not.
func TestLongReceive(t *testing.T) {
	for n, want := range map[uint32]verbs.WCStatus{64: verbs.WCStatusSuccess, 65: verbs.WCStatusRemOpErr} {
		a, b := pair(t, link.Default())
		b.Recv(t, 1, link.Size-64, 4096)
		if wc := a.Do(t, func(w verbs.SendWR) { w.Send(1).Add(a.MR.UncheckedSGE(0, n)) }); wc.Status != want {
			t.Errorf("%d bytes: %v, want %v", n, wc.Status, want)
		}
	}
}

// TestUnreadEvent imports a device while an event of its queue pair is unread, and closes the queue pair: the library waits for events that
// the program has, so that the kernel must not count those that it has not read.
func TestUnreadEvent(t *testing.T) {
	a, b := pair(t, link.Default())
	if wc := a.Do(t, func(w verbs.SendWR) { w.Write(1, 0, 0).Add(a.MR.UncheckedSGE(0, 8)) }); wc.Status != verbs.WCStatusRemAccessErr {
		t.Fatalf("status %v, want that of a refused access", wc.Status)
	}
	other := must(must(verbs.Load())(t).ImportDevice(b.PD.Device().CmdFD()))(t)
	if err := errors.Join(b.QP.Close(), other.Close()); err != nil {
		t.Error(err)
	}
}

// TestClosedChannels closes completion channels: they leave no descriptors open, of which a process has few.
func TestClosedChannels(t *testing.T) {
	dev := open(t, card.Devices[0])
	used := func() int { return len(must(os.ReadDir("/proc/self/fd"))(t)) }
	before := used()
	for range 50 {
		channel := must(dev.CreateCompChannel())(t)
		cq := must(dev.CreateCQ(1, channel, 0))(t)
		must(0, errors.Join(cq.Close(), channel.Close()))(t)
	}
	if n := used(); n > before+20 {
		t.Errorf("%d descriptors are open, and %d before", n, before)
	}
}

// TestLayers asks that only the files of a provider include its headers, so that another can stand beside it.
func TestLayers(t *testing.T) {
	for _, dir := range []string{"libc", "cm", "uverbs", "wire"} {
		for _, path := range must(filepath.Glob(filepath.Join("../../card/src", dir, "*.[ch]")))(t) {
			for line := range strings.Lines(string(must(os.ReadFile(path))(t))) {
				if strings.HasPrefix(line, "#include") && (strings.Contains(line, "mlx5") || strings.Contains(line, "efa")) {
					t.Errorf("%s includes a header of a provider: %s", path, line)
				}
			}
		}
	}
}
