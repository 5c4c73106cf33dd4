//go:build linux && cgo

package oncard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// role names what a child process of a test does: this program runs it as TestRole.
const role = "VERBSGEN_CARD_ROLE"

// large is more than one exchange of src/wire/segment.h has room for.
const large = 300_000

// hello is what the two processes tell each other.
type hello struct {
	GID  verbs.GID
	QPN  uint32
	Key  uint32
	Addr uint64
}

// roles are what children do.
var roles = map[string]func(*testing.T){
	"list": list, "serve": serve, "efa": sendByEFA, "sums": sumsOnEFA, "removed": removedEFA, "srd": sendBySRD, "answer": answer, "echo": echo,
	"dct": serveDCT, "frames": serveFrames, "share": share, "errnos": func(t *testing.T) { errnos(t, "efa_0") },
	"guide": func(t *testing.T) { must(0, importAsInGuide(must(verbs.Load())(t)))(t) },
}

// TestRole is the child process of the other tests.
func TestRole(t *testing.T) {
	name := os.Getenv(role)
	if do := roles[name]; do != nil {
		do(t)
	} else if lacks, ok := strings.CutPrefix(name, "lacks "); ok {
		useWhatLacks(t, lacks)
	} else {
		t.Skip("only as the child of other tests")
	}
}

// list says what the devices are.
func list(t *testing.T) {
	for _, d := range must(must(verbs.Load())(t).Devices())(t) {
		at := must(link.First(open(t, d.Name)))(t)
		fmt.Printf("\x01%s %v %v\n", d.Name, d.GUID, at.Port.GID())
	}
}

// serve receives a message, and lends memory until the other end closes its pipe, or kills this process.
func serve(t *testing.T) {
	in := bufio.NewReader(os.Stdin)
	e, big := bigEnd(t, card.Devices[1], os.Stdout)
	e.Recv(t, 7, 100, 64)
	to := told(t, in)
	fmt.Printf("\x01connected %v\n", e.Connect(to.GID, 0, to.QPN))
	wc := must(e.Wait())(t)
	fmt.Printf("\x01%d %q\n", wc.ByteLen, e.Buf[100:100+wc.ByteLen])
	_, _ = in.ReadString('\n')
	runtime.KeepAlive(big)
}

// bigEnd makes an end with a large region, and writes where it is.
func bigEnd(t *testing.T, device string, to io.Writer) (*link.End, *verbs.MR) {
	at := must(link.First(open(t, device)))(t)
	e := must(link.NewEnd(at.Device))(t)
	all := verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic
	big := must(e.PD.RegMR(make([]byte, large), all))(t)
	say(t, to, hello{at.Port.GID(), e.QP.Num(), big.RKey(), big.UncheckedSGE(0, 8).Addr})
	return e, big
}

// line returns the next line that a process says for the test: one with the mark, which the testing package may write behind other text.
func line(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	for {
		text, err := from.ReadString('\n')
		if _, said, ok := strings.Cut(text, "\x01"); ok {
			return strings.TrimSpace(said)
		}
		if err != nil {
			t.Fatal("the other process ended: ", err)
		}
	}
}

func told(t *testing.T, from *bufio.Reader) hello {
	var h hello
	must(0, json.Unmarshal([]byte(line(t, from)), &h))(t)
	return h
}

// child starts this program in a role. It ends with the test.
func child(t *testing.T, name string, env ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	return childWith(t, name, nil, env...)
}

// childWith starts a child that inherits files, as descriptors from 3 on.
func childWith(t *testing.T, name string, files []*os.File, env ...string) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
	cmd := exec.Command(must(os.Executable())(t), "-test.run=^TestRole$", "-test.v")
	cmd.Env = append(append(os.Environ(), role+"="+name), env...)
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, files
	in, out := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t)
	must(0, cmd.Start())(t)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, in, bufio.NewReader(out)
}

// ends waits for a child that passes its own test.
func ends(t *testing.T, cmd *exec.Cmd, out io.Reader) {
	t.Helper()
	said, err := io.ReadAll(out)
	if err = errors.Join(err, cmd.Wait()); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestProcesses connects queue pairs of two processes, and moves messages, memory in several parts, and an atomic. Then the other process
// is killed, and a request to it is a retry error.
func TestProcesses(t *testing.T) {
	cmd, in, out := child(t, "serve")
	e, big := bigEnd(t, card.Devices[0], in)
	to := told(t, out)
	must(0, e.ConnectWith(to.GID, 0, to.QPN, link.Patience{Timeout: 10, Retries: 2}))(t)
	if said := line(t, out); said != "connected <nil>" {
		t.Fatal(said)
	}
	copy(e.Buf, "between processes")
	succeeds(t, e, func(w verbs.SendWR) { w.Send(1).Add(e.MR.UncheckedSGE(0, 17)) })
	if said := line(t, out); said != `17 "between processes"` {
		t.Errorf("received %s", said)
	}
	moveLarge(t, e, big, to)
	succeeds(t, e, func(w verbs.SendWR) { w.FetchAdd(4, to.Addr+8, to.Key, 5).Add(e.MR.UncheckedSGE(0, 8)) })
	if want := []byte{8, 9, 10, 11, 12, 13, 14, 15}; !bytes.Equal(e.Buf[:8], want) {
		t.Errorf("fetched %v, want %v", e.Buf[:8], want)
	}

	must(0, cmd.Process.Kill())(t)
	_ = cmd.Wait()
	wc := e.Do(t, func(w verbs.SendWR) { w.Write(5, to.Addr, to.Key).Add(e.MR.UncheckedSGE(0, 8)) })
	if wc.Status != verbs.WCStatusRetryExcErr {
		t.Errorf("status %v of a request to a dead process, want that of no answer", wc.Status)
	}
}

// moveLarge writes a region to the other process and reads it back.
func moveLarge(t *testing.T, e *link.End, big *verbs.MR, to hello) {
	fill, back := make([]byte, large), make([]byte, large)
	for i := range fill {
		fill[i] = byte(i % 251)
	}
	from := must(e.PD.RegMR(fill, verbs.MRAccessLocalWrite))(t)
	into := must(e.PD.RegMR(back, verbs.MRAccessLocalWrite))(t)
	succeeds(t, e, func(w verbs.SendWR) { w.Write(2, to.Addr, to.Key).Add(from.UncheckedSGE(0, large)) })
	succeeds(t, e, func(w verbs.SendWR) { w.Read(3, to.Addr, to.Key).Add(into.UncheckedSGE(0, large)) })
	if !bytes.Equal(fill, back) {
		t.Error("what was written to the other process is not what was read there")
	}
	if err := errors.Join(from.Close(), into.Close(), big.Close()); err != nil {
		t.Error(err)
	}
}

// TestSeveralDevices lists five devices, each with a GUID and a GID of its own.
func TestSeveralDevices(t *testing.T) {
	_, _, out := child(t, "list", onDevices(t, "mlx5", "mlx5", "mlx5", "mlx5", "mlx5")...)
	seen := map[string]bool{}
	for range 5 {
		for _, word := range strings.Fields(line(t, out)) {
			if seen[word] {
				t.Errorf("%s comes twice", word)
			}
			seen[word] = true
		}
	}
	if !seen["mlx5_4"] {
		t.Errorf("no mlx5_4 among %v", seen)
	}
}

// TestUnprivileged makes a card and runs tests on it as a user without rights, in namespaces of its own, where there is no
// /dev/infiniband.
func TestUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make the namespaces; the tests run without rights already")
	}
	const nobody = 65534
	dir := must(os.MkdirTemp("", "nobody"))(t)
	defer os.RemoveAll(dir)
	self := filepath.Join(dir, "card.test")
	cache, library := filepath.Join(dir, "rdmacard"), os.Getenv("LD_PRELOAD")
	must(0, os.Mkdir(cache, 0o755))(t)
	for to, from := range map[string]string{self: must(os.Executable())(t), filepath.Join(cache, filepath.Base(library)): library} {
		must(0, os.WriteFile(to, must(os.ReadFile(from))(t), 0o755))(t)
	}
	must(0, errors.Join(os.Chown(dir, nobody, nobody), os.Chown(cache, nobody, nobody)))(t)
	const script = `mount --make-rprivate /
[ ! -e /dev/infiniband ] || mount -t tmpfs none /dev/infiniband
exec setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@"`
	const tests = "^Test(Traffic|Processes|Allocator|ShareAmongThree)$"
	cmd := exec.Command("sh", "-c", script, "sh", self, "-test.run="+tests, "-test.v")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ASAN_OPTIONS=" + os.Getenv("ASAN_OPTIONS"),
		"TMPDIR=" + dir, "XDG_CACHE_HOME=" + dir} // with the compiled card of this process
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
	}
	said, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("no namespaces here: ", err)
	}
	if err != nil || bytes.Count(said, []byte("--- PASS")) != 4 {
		t.Errorf("as nobody: %v\n%s", err, said)
	}
}
