//go:build linux && cgo

package failures

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

var deviceFlag = flag.String("device", os.Getenv("VERBS_DEVICE"), "kernel device to make the mistakes on, in place of software")

// Devices that mistakes are made on.
const (
	plain  = "softverbs"
	mlx5   = "LikeMLX5"
	rxe61  = "LikeRXE61"
	kernel = "kernel"
)

// mistake is a program with one.
type mistake struct {
	name string
	make func(b *bench) error // its error is the one to see
	says string               // what it says; a pattern
	// hint has the device take the call: says is of the lint.
	hint bool
	soft []softverbs.Option // of software devices
	on   []string           // the devices that it is made on; none: all
	// takes are devices that take the call, without a word.
	takes []string
}

// bench is an open device, which a program makes a mistake on.
type bench struct {
	t     *testing.T
	soft  *softverbs.Device // nil on a kernel device
	dev   *verbs.Device
	hints []string
}

func newBench(t *testing.T, on string, opts []softverbs.Option) *bench {
	t.Helper()
	b := &bench{t: t}
	var lib *verbs.Lib
	var err error
	name := *deviceFlag
	switch on {
	case kernel:
		lib, err = verbs.Load()
	default:
		like := map[string]softverbs.Option{plain: softverbs.Name("soft0"), mlx5: softverbs.LikeMLX5(), rxe61: softverbs.LikeRXE61()}[on]
		b.soft = softverbs.New(append([]softverbs.Option{like}, opts...)...)
		name = b.soft.Names()[0]
		lib, err = verbs.LoadFrom(b.soft)
		t.Cleanup(func() { b.soft.Close() })
	}
	if err != nil {
		t.Fatal(err)
	}
	if b.dev, err = lib.OpenDevice(name); err != nil {
		t.Fatal(err)
	}
	lib.OnLint(func(l *verr.Lint) { b.hints = append(b.hints, l.String()) })
	t.Cleanup(func() {
		lib.OnLint(nil)
		if err := b.dev.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// said is what a user reads of the mistake; "" for nothing.
func (m mistake) said(b *bench) string {
	err := m.make(b)
	var broken *prepareError
	if errors.As(err, &broken) {
		b.t.Fatal(err)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(b.hints, "\n")
}

// prepareError is an error before the mistake.
type prepareError struct{ error }

// must ends a program whose preparation fails.
func must[T any](v T, err error) T {
	if err != nil {
		panic(&prepareError{err})
	}
	return v
}

func only(_ any, err error) error { return err }

// pd, cq and the like are what programs make first.
func (b *bench) pd() *verbs.PD { return must(b.dev.AllocPD()) }
func (b *bench) cq() *verbs.CQ { return must(b.dev.CreateCQ(16, nil, 0)) }

func (b *bench) qp(of verbs.QPType) *verbs.QP {
	cq := b.cq()
	return must(b.pd().CreateQP(verbs.QPInitAttr{Type: of, SendCQ: cq, RecvCQ: cq, MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 1, MaxRecvSGE: 1}))
}

// path is the path of the device to itself.
func (b *bench) path() verbs.AHAttr {
	return verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(b.dev.QueryGID(1, 0)), HopLimit: 64}
}

// setup makes a connection to itself, changed.
func setup(change func(s *verbs.RCSetup)) func(*bench) error {
	return func(b *bench) error {
		qp := b.qp(verbs.QPTypeRC)
		s := verbs.RCSetup{PortNum: 1, AV: b.path(), PathMTU: verbs.MTU1024, DestQPNum: qp.Num(), MaxDestRDAtomic: 1, MaxRDAtomic: 1,
			MinRNRTimer: 1, Timeout: 8, RetryCnt: 3, RNRRetry: 3}
		change(&s)
		return s.ToRTS(qp)
	}
}

// address makes an address handle of the path of the device to itself, changed.
func address(change func(at *verbs.AHAttr)) func(*bench) error {
	return func(b *bench) error {
		at := b.path()
		change(&at)
		return only(b.pd().CreateAH(at))
	}
}

// register registers memory that the device may write.
func register(length uint64, at func(b *bench) uintptr) func(*bench) error {
	return func(b *bench) error { return only(b.pd().RegMRFrom(mem.Addr(at(b), length), local)) }
}

// pair is two connected sides.
func (b *bench) pair() (left, right *link.End) {
	cfg := link.Default()
	cfg.Patience = link.Patience{Timeout: 10, Retries: 2}
	left, right, err := cfg.Between(b.dev, b.dev)
	if err != nil {
		panic(&prepareError{err})
	}
	return left, right
}

// post posts a request and returns the error of its completion.
func post(e *link.End, build func(wr verbs.SendWR)) error {
	batch := must(verbs.NewSendBatch(1, 1))
	defer batch.Close()
	build(batch.WR(0))
	batch.WR(0).Flags(verbs.SendSignaled)
	return e.Send(batch, 1)
}

// write posts an RDMA WRITE of 8 bytes.
func write(e *link.End, local uint64, lkey uint32, remote uint64, rkey uint32) error {
	return post(e, func(wr verbs.SendWR) { wr.Write(1, remote, rkey).SGE(local, 8, lkey) })
}

// devices are those that a mistake is made on in this run.
func (m mistake) devices() (out []string) {
	for _, on := range []string{plain, mlx5, rxe61, kernel} {
		if (on == kernel) == (*deviceFlag != "") && (len(m.on) == 0 || slices.Contains(m.on, on)) {
			out = append(out, on)
		}
	}
	return out
}

// TestMistakes makes each mistake on each device: what the user reads names it.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes() {
		for _, on := range m.devices() {
			t.Run(strings.ReplaceAll(m.name, " ", "_")+"/"+on, func(t *testing.T) {
				said := m.on1(t, on)
				t.Logf("said: %s", said)
				record(m.name, on, said)
				switch taken := slices.Contains(m.takes, on); {
				case taken && said != "":
					t.Errorf("%s takes it, and said %q", on, said)
				case !taken && !regexp.MustCompile(m.says).MatchString(said):
					t.Errorf("nothing matches %q in %q", m.says, said)
				case !taken && m.hint && !regexp.MustCompile(`^\w+\.go:\d+: `).MatchString(said):
					t.Errorf("not a hint with its place: %q", said)
				}
			})
		}
	}
	if n := len(mistakes()); n < 31 {
		t.Errorf("only %d mistakes", n)
	}
}

// on1 makes a mistake on a device.
func (m mistake) on1(t *testing.T, on string) (said string) {
	b := newBench(t, on, m.soft)
	defer func() {
		if p, ok := recover().(*prepareError); ok {
			t.Fatal(fmt.Errorf("before the mistake: %w", p))
		}
	}()
	return m.said(b)
}
