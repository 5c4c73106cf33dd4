//go:build linux && cgo

package calls

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

var (
	// A number and not a time: the share of bare errnos in a few rounds on a busy machine would say nothing.
	fuzzRounds = flag.Int("rounds", 100, "how many rounds of calls at random TestFuzz makes")
	fuzzSeed   = flag.Uint64("seed", 0, "the round that TestFuzz begins with, as it reported it; 0 for any")
)

const (
	envSeed   = "VERBS_CALLS_SEED"
	envRounds = "VERBS_CALLS_ROUNDS"
	envCalls  = "VERBS_CALLS_FILE"
	envCard   = "VERBS_CALLS_CARD" // the provider whose real library the calls go to, above an emulated card; nothing for softverbs
)

// steps are the calls of a round: it begins with new devices, and depends only on its seed.
const steps = 1500

// unsafely are parameters by which a program promises something about memory of C; calls that take one are not made.
var unsafely = []string{"uintptr", "unsafe.Pointer", "*cmem.Pins", "*uintptr", "cmem.Held"}

// notCalled are methods that are not called at random, by the reason.
var notCalled = map[string]string{
	"verbs.Load":              "the libraries of this machine",
	"rdmacm.Load":             "the libraries of this machine",
	"verbs.Path":              "the libraries of this machine",
	"rdmacm.Path":             "the libraries of this machine",
	"verbs.Lib.ForkInit":      "it is for the whole process",
	"verbs.CQ.PollSpin":       "it lasts as long as it is told to",
	"verbs.QP.PostAndPoll":    "it lasts as long as it is told to",
	"verbs.CQReader.PollSpin": "it lasts as long as it is told to",
	"verbs.Device.CmdFD":      "the number of a file of the process",
	"verbs.Device.ImportDM":   "it takes a number of a file",
	"verbs.Lib.ImportDevice":  "it takes a number of a file",
	"verbs.PD.RegDMABufMR":    "it takes a number of a file",
	"verbs.MRInitAttr.FD":     "it takes a number of a file",
	"verbs.PD.Unimport":       "it leaves the object in the kernel, and with it the parents",
	"verbs.MR.Unimport":       "it leaves the object in the kernel, and with it the parents",
	"verbs.DM.Unimport":       "it leaves the object in the kernel, and with it the parents",
	"mem.New":                 "it maps what it is told to",
}

// callable are the methods that are called at random.
func callable() (all []method) {
	for _, m := range methods() {
		short := m.pkg()
		if short == "verr" || short == "devmem" || notCalled[m.name] != "" || m.unsafe() {
			continue
		}
		all = append(all, m)
	}
	return all
}

// unsafe reports whether a program promises something about memory of C by a call.
func (m method) unsafe() bool {
	t := m.fn.Type()
	for i := range t.NumIn() {
		if slices.Contains(unsafely, t.In(i).String()) {
			return true
		}
	}
	return false
}

// counts are what a child reports.
type counts struct {
	Rounds, Calls, Errors int
	Bare                  map[string]int // bare errnos, by their text
}

// callRandomly makes rounds of calls.
func callRandomly() {
	seed, _ := strconv.ParseUint(os.Getenv(envSeed), 10, 64)
	rounds, _ := strconv.Atoi(os.Getenv(envRounds))
	log := newLog(os.Getenv(envCalls))
	total := counts{Bare: map[string]int{}}
	all := callable()
	for ; total.Rounds < rounds; seed++ {
		report(event{Number: int(seed), Call: "round"})
		if err := round(seed, all, log, &total); err != nil {
			report(event{Number: int(seed), End: failed, Text: err.Error()})
			break
		}
		total.Rounds++
	}
	report(event{End: "done", Counts: &total})
}

// round makes the calls of one seed.
func round(seed uint64, all []method, log *callLog, total *counts) error {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &pool{Rand: r, have: map[reflect.Type][]reflect.Value{}}
	lib, names, soft, err := devices(seed)
	if err != nil {
		return err
	}
	var devs []*verbs.Device
	var pins []*mem.Pin // a program must not forget one
	var events []interface{ Done() }
	var shared []unimporter // objects that may have two handles
	imported := false
	for _, name := range names {
		dev, err := lib.OpenDevice(name)
		if err != nil {
			return err
		}
		devs = append(devs, dev)
		p.add(reflect.ValueOf(dev))
		if strings.HasPrefix(name, "efa") {
			continue // it has no connections
		}
		a, b, err := verbstest.Connect(dev, dev)
		if err != nil {
			return err
		}
		for _, x := range []any{a.PD, b.PD, a.QP, b.QP, a.MR, b.MR, a.SendCQ, a.RecvCQ, b.SendCQ, b.RecvCQ} {
			p.add(reflect.ValueOf(x))
			if x, ok := x.(unimporter); ok {
				shared = append(shared, x)
			}
		}
	}
	p.add(reflect.ValueOf(lib))
	cm := &manager{}
	if soft != nil {
		if cm, err = connectIDs(p, lib, soft); err != nil {
			return err
		}
	}
	for i := range steps {
		m := all[p.IntN(len(all))]
		args := p.arguments(m)
		if args == nil {
			continue
		}
		log.add(m.name, args)
		e := do(m.fn, args)
		devs = append(devs, opened(m, args))
		total.Calls++
		switch {
		case e.kind == faulted:
			report(event{Number: int(seed), Call: m.name, End: faulted, Text: fmt.Sprintf("%s, call %d:\n%s", e.text, i, log)})
		case e.err != nil:
			total.Errors++
			if bare(e.err) {
				total.Bare[m.name+": "+e.text]++
			}
		}
		for _, r := range e.results {
			switch r := r.Interface().(type) {
			case *mem.Pin:
				pins = append(pins, r)
			case *verbs.Device:
				devs = append(devs, r)
			case *rdmacm.EventChannel:
				cm.channels = append(cm.channels, r)
			case interface{ Done() }: // an event, which keeps its object open
				events = append(events, r)
			case unimporter:
				shared = append(shared, r)
			}
		}
		imported = imported || e.err == nil && strings.Contains(m.name, ".Import")
		p.keep(e.results)
	}
	for _, e := range events {
		e.Done()
	}
	var errs []error
	for _, dev := range devs {
		if err := dev.CloseAll(); dev != nil && !closed(err) {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 && imported {
		errs = endShared(shared, devs)
	}
	errs = append(errs, cm.close())
	for _, pin := range pins {
		pin.Unpin()
	}
	if soft != nil {
		errs = append(errs, soft.Close())
	}
	return errors.Join(errs...)
}

// devices are the library and the names of the devices of a round: software devices, or those of the card below this process.
func devices(seed uint64) (lib *verbs.Lib, names []string, soft *softverbs.Device, err error) {
	if card := os.Getenv(envCard); card != "" {
		lib, err = verbs.Load()
		return lib, []string{card + "_0", card + "_1"}, nil, err
	}
	like := softverbs.LikeMLX5()
	if seed%2 == 0 {
		like = softverbs.LikeRXE61()
	}
	soft = softverbs.New(like, softverbs.Name("soft0"), softverbs.AnotherDevice("soft1"))
	lib, err = verbs.LoadFrom(soft)
	return lib, []string{"soft0", "soft1"}, soft, err
}

// unimporter is a handle of an object that another context may have too.
type unimporter interface {
	Close() error
	Unimport() error
}

// endShared closes the devices of a round that imported objects: of two handles of one object, the end of one is the end of both, and
// the other one is given up.
func endShared(shared []unimporter, devs []*verbs.Device) (errs []error) {
	for _, x := range slices.Backward(shared) {
		if x.Close() != nil {
			_ = x.Unimport()
		}
	}
	for _, dev := range devs {
		if err := dev.CloseAll(); err != nil && dev != nil && !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errs
}

// closed reports whether something is closed after an error of Close, now or before.
func closed(err error) bool { return err == nil || errors.Is(err, os.ErrClosed) }

// arguments are values for the parameters of a method, nil if there is no receiver.
func (p *pool) arguments(m method) (args []reflect.Value) {
	t := m.fn.Type()
	for i := range t.NumIn() {
		in := t.In(i)
		if i == 0 && m.receiver != nil && len(p.have[in]) == 0 && opaque(elem(in)) && p.IntN(50) > 0 {
			return nil // of a handle that is not there, a few calls on zero values are enough
		}
		args = append(args, p.value(in, 0))
	}
	return args
}

func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// bare reports whether an error is only an errno, without a word about its cause. That a device cannot do something needs none.
func bare(err error) bool {
	var e *verr.Error
	return errors.As(err, &e) && !errors.Is(e, errors.ErrUnsupported) &&
		e.Errno != 0 && e.Msg == "" && len(e.Violations) == 0 && len(e.Hints) == 0 && e.Err == nil
}

// TestFuzz calls all methods at random, with plausible and hostile values, on software devices: none ends in a fault or a signal.
func TestFuzz(t *testing.T) { fuzz(t, *fuzzRounds) }

// TestFuzzCard does the same with some of the rounds on the real libmlx5 and libefa, above an emulated card.
func TestFuzzCard(t *testing.T) {
	for _, provider := range []string{"mlx5", "efa"} {
		t.Run(provider, func(t *testing.T) {
			c, err := card.Build(t.TempDir(), card.Options{Devices: []string{provider, provider}})
			if err != nil {
				t.Fatal(err)
			}
			fuzz(t, *fuzzRounds/20, c.Environ([]string{envCard + "=" + provider})...)
		})
	}
}

// fuzz makes rounds of calls in a process with more in its environment.
func fuzz(t *testing.T, rounds int, env ...string) {
	seed := *fuzzSeed
	if seed == 0 {
		seed = rand.Uint64N(1 << 40)
	}
	file := t.TempDir() + "/calls"
	var total *counts
	at, documented := seed, readDocs(t)
	onCard := len(env) > 0
	env = append(env, fmt.Sprintf("%s=%d", envSeed, seed), fmt.Sprintf("%s=%d", envRounds, rounds), envCalls+"="+file)
	said, err := child(t, "fuzz", env,
		func(e event) {
			switch {
			case e.End == "done":
				total = e.Counts
			case strings.HasPrefix(e.Text, "runtime error: index out of range") && documented.saysPanic(e.Call): // as a slice
			case e.End != "":
				t.Errorf("-seed %d: %s: %s: %s", e.Number, e.Call, e.End, e.Text)
			default:
				at = uint64(e.Number)
			}
		})
	if err != nil || total == nil {
		t.Fatalf("-seed %d: %v; the last calls were\n%s\n%s", at, err, newLog(file), said[:min(len(said), 4000)])
	}
	n := 0
	for _, text := range slices.Sorted(maps.Keys(total.Bare)) {
		n += total.Bare[text]
		t.Logf("%6d %s", total.Bare[text], text)
	}
	t.Logf("%d calls in %d rounds, %d errors, %d of them bare errnos: %.1f %%", total.Calls, total.Rounds, total.Errors, n,
		100*float64(n)/float64(max(total.Errors, 1)))
	if n > total.Errors/2000 && !onCard { // what a provider answers to nonsense is its own
		t.Error("too many errors are bare errnos: explain those listed above, by a rule, or by errno: of a rule or note")
	}
}
