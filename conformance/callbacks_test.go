//go:build linux && cgo

package conformance

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	rc "github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// callbacksOf lists the functions of programs that the API of docs/api calls: parameters, fields, and methods of interfaces that programs
// can implement.
func callbacksOf(t *testing.T) (found []string) {
	t.Helper()
	takes := regexp.MustCompile(`^(field |(method of \S+: |\[.*\] )?func\([^)]*)func\(`)
	for _, file := range must(filepath.Glob("../docs/api/*.txt"))(t) {
		of := strings.TrimSuffix(file[strings.LastIndexAny(file, "/-")+1:], "txt")
		interfaces := map[string]bool{}
		for line := range strings.Lines(string(must(os.ReadFile(file))(t))) {
			name, is, _ := strings.Cut(strings.TrimSpace(line), " ")
			receiver, _, _ := strings.Cut(strings.TrimPrefix(is, "method of "), ":")
			interfaces[name] = is == "type interface"
			if takes.MatchString(is) || interfaces[receiver] {
				found = append(found, of+name)
			}
		}
	}
	return found
}

// ways are how a function of a program leaves the call that called it. end closes what the call uses.
var ways = map[string]func(end func() error){
	"panic":  func(func() error) { panic("out") },
	"Goexit": func(func() error) { runtime.Goexit() },
	"Close":  func(end func() error) { _ = end() },
}

// apart makes a call that a panic or Goexit may leave, and waits for its end.
func apart(t *testing.T, call func()) {
	t.Helper()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() { _ = recover() }()
		call()
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the call hangs")
	}
}

// callbackTests has a test for each function of a program that the API calls. The other generated packages have the code of verbs. A test
// calls the function, which leaves, and fails unless all can be closed afterwards. A text names a file and the line that begins the test
// there, or says why there is no test.
var callbackTests = map[string]any{
	"conn.Options.QP":          "../gen/rdmacm/conn/conn_test.go: func TestCallback(",
	"conn.Options.Prepare":     "../gen/rdmacm/conn/conn_test.go: func TestCallback(",
	"endpoint.Config.CreateQP": leaveCreateQP,
	"endpoint.Config.Handle":   leaveHandle,
	"endpoint.Slot.PostFunc":   leavePostFunc,
	"verbs.Lib.OnLint":         leaveLint((*verbs.Lib).OnLint),
	"verbs.Lib.OnEveryLint":    leaveLint((*verbs.Lib).OnEveryLint),
	"verbs.Allocator.Alloc":    leaveAllocator,
	"verbs.Allocator.Free":     leaveAllocator,
	"mem.OnForgotten":          leaveForgotten,
	"verbs.Symbols.Symbol":     leaveSymbols,
	"softcm.Verbs.Symbol":      "as verbs.Symbols",
	"verbstest.Load":           "by the goroutine of a test, which it ends",
	"verbstest.Open":           "by the goroutine of a test, which it ends",
	"verbstest.Closer.Close":   "by the goroutine of a test, which it ends",
	"verr.Rule.Text":           "of generated code, and called by who prints an error",
}

// TestCallbacks has every function of a program that the API calls panic, end its goroutine, and call Close: nothing hangs, and all can
// be closed afterwards.
func TestCallbacks(t *testing.T) {
	found := callbacksOf(t)
	for _, name := range found {
		if _, generated, _ := strings.Cut(name, "."); callbackTests[name] == nil && callbackTests["verbs."+generated] == nil {
			t.Errorf("%s has no row in callbackTests", name)
		}
	}
	for name, test := range callbackTests {
		if !slices.Contains(found, name) {
			t.Errorf("%s is no callback of the API", name)
		}
		switch test := test.(type) {
		case string:
			if file, line, elsewhere := strings.Cut(test, ": "); elsewhere && !strings.Contains(string(must(os.ReadFile(file))(t)), "\n"+line) {
				t.Errorf("%s: no test %q", name, test)
			}
		case func(*testing.T, func(func() error)):
			for way, leave := range ways {
				t.Run(name+"/"+way, func(t *testing.T) { test(t, leave) })
			}
		}
	}
}

// atOnce checks that closing something in a callback of a call that uses it is refused, without waiting for the call.
func atOnce(t *testing.T, what string, end func() error) {
	t.Helper()
	begin := time.Now()
	if err := end(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%s in a callback: %v", what, err)
	}
	if took := time.Since(begin); took >= 10*time.Second { // as long as a Close waits
		t.Errorf("%s in a callback took %v", what, took)
	}
}

// leaveLint leaves the function of a lint, which CreateAH calls.
func leaveLint(on func(*verbs.Lib, func(*verr.Lint))) func(*testing.T, func(func() error)) {
	return func(t *testing.T, leave func(func() error)) {
		b := open(t)
		pd := must(b.dev.AllocPD())(t)
		gid := must(b.dev.QueryGID(1, 0))(t)
		called := false
		on(b.lib, func(*verr.Lint) {
			called = true
			leave(func() error { atOnce(t, "CloseAll", b.dev.CloseAll); return nil })
		})
		apart(t, func() { _, _ = pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, FlowLabel: 1 << 20}) })
		b.lib.OnLint(nil)
		if !called {
			t.Error("there was no lint")
		}
	}
}

// leaver is an allocator that leaves.
type leaver struct {
	bufs  []*mem.Buffer
	leave func()
	calls []string
}

func (l *leaver) Alloc(verbs.AllocRequest) (uintptr, error) {
	l.calls = append(l.calls, "Alloc")
	l.leave()
	buf, err := mem.New(4096)
	if err != nil {
		return 0, err
	}
	l.bufs = append(l.bufs, buf)
	return buf.Addr(), nil
}

func (l *leaver) Free(verbs.AllocRequest, uintptr) {
	l.calls = append(l.calls, "Free")
	l.leave()
}

// leaveAllocator leaves Alloc, and then only Free.
func leaveAllocator(t *testing.T, leave func(func() error)) {
	b := open(t)
	l := new(leaver)
	pd := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(must(b.dev.AllocPD())(t)).Allocator(l)))(t)
	cq := must(b.dev.CreateCQ(4, nil, 0))(t)
	create := func() (*verbs.QP, error) {
		return pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1})
	}
	leaves := func() { leave(func() error { atOnce(t, "CloseAll", b.dev.CloseAll); return nil }) }
	l.leave = leaves
	apart(t, func() { _, _ = create() })
	l.leave = func() {}
	qp := must(create())(t)
	l.leave = leaves
	apart(t, func() { _ = qp.Close() })
	l.leave = func() {}
	if !slices.Contains(l.calls, "Alloc") || !slices.Contains(l.calls, "Free") {
		t.Errorf("called %q", l.calls)
	}
	if err := b.dev.CloseAll(); err != nil {
		t.Error(err)
	}
	for _, buf := range l.bufs {
		if err := buf.Close(); err != nil {
			t.Error(err)
		}
	}
}

// leaveCreateQP leaves the function that makes the queue pair of an endpoint: nothing of the endpoint is left.
func leaveCreateQP(t *testing.T, leave func(func() error)) {
	b := open(t)
	config := endpoint.Config{CreateQP: func(e *endpoint.Endpoint, attr verbs.QPInitAttr) (*verbs.QP, error) {
		leave(b.dev.CloseAll)
		return e.PD.CreateQP(attr)
	}}
	apart(t, func() { _, _ = endpoint.New(b.dev, config) })
	if err := b.dev.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// leaveHandle leaves the function for completions, which runs on a goroutine of the endpoint.
func leaveHandle(t *testing.T, leave func(func() error)) {
	leaveEndpoint(t, endpoint.Config{Handle: func(e *endpoint.Endpoint, _ verbs.WC) { leave(e.Close) }},
		func(e *endpoint.Endpoint, _ endpoint.Slot) error {
			batch := must(verbs.NewSendBatch(1, 1))(t)
			batch.WR(0).Send(1).Flags(verbs.SendSignaled)
			return errorOf(e.QP.PostSend(batch, 1))
		})
}

// leavePostFunc leaves the function for the completion of one request.
func leavePostFunc(t *testing.T, leave func(func() error)) {
	leaveEndpoint(t, endpoint.Config{}, func(e *endpoint.Endpoint, s endpoint.Slot) error {
		s.Send(0)
		return s.PostFunc(func(endpoint.Slot, verbs.WC) { leave(e.Close) })
	})
}

// leaveEndpoint has an endpoint call a function that leaves: whoever waits hears of the end, and Close works.
func leaveEndpoint(t *testing.T, config endpoint.Config, post func(*endpoint.Endpoint, endpoint.Slot) error) {
	if strings.HasSuffix(t.Name(), "/panic") {
		dies(t)
	}
	b := open(t)
	e := must(endpoint.New(b.dev, config))(t)
	first := must(e.Slot(bounded(t)))(t)
	if err := e.QP.Modify(rc.DefaultSetup().Init()); err != nil {
		t.Fatal(err)
	}
	if err := e.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil { // a flushed request is a completion too
		t.Fatal(err)
	}
	if err := post(e, first); err != nil {
		t.Fatal(err)
	}
	<-e.Done()
	s, err := e.Slot(bounded(t))
	if err == nil {
		s.Send(0)
		_, err = s.Do(bounded(t))
	}
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Do: %v", err)
	}
	if err := e.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close: %v", err)
	}
}

// leaveForgotten leaves the function that hears of forgotten memory: later reports come all the same.
func leaveForgotten(t *testing.T, leave func(func() error)) {
	if strings.HasSuffix(t.Name(), "/panic") {
		dies(t)
	}
	got := make(chan error)
	mem.OnForgotten(func(err error) {
		select {
		case got <- err:
		case <-t.Context().Done():
		}
		leave(func() error { return nil })
	})
	defer mem.OnForgotten(nil)
	for range 2 {
		_ = must(mem.PinBytes(make([]byte, 100)))(t)
		for begin := time.Now(); ; {
			runtime.GC()
			select {
			case <-got:
			case <-time.After(10 * time.Millisecond):
				if time.Since(begin) < time.Minute {
					continue
				}
				t.Error("nothing was said")
			}
			break
		}
	}
}

// dies runs the test in a program of its own, which the panic has to end, as that of any goroutine does.
func dies(t *testing.T) {
	const inside = "VERBSGEN_TEST_DIES"
	if os.Getenv(inside) != "" {
		return
	}
	name := strings.NewReplacer("(", `\(`, ")", `\)`, "/", "$/^").Replace(t.Name())
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$")
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "panic: out") {
		t.Errorf("the panic is lost: %v\n%s", err, out)
	}
	t.SkipNow()
}

// symbols are those of a device, but for one that leaves.
type symbols struct {
	*softverbs.Device
	leave func()
}

func (s symbols) Symbol(name, version string) uintptr {
	if name == "ibv_reg_mr" {
		s.leave()
	}
	return s.Device.Symbol(name, version)
}

// leaveSymbols leaves LoadFrom.
func leaveSymbols(t *testing.T, leave func(func() error)) {
	soft := softverbs.New()
	apart(t, func() { _, _ = verbs.LoadFrom(symbols{soft, func() { leave(soft.Close) }}) })
	if err := soft.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
