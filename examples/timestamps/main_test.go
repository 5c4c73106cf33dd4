//go:build linux && cgo

package main

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Patterns of what the program prints. Only the numbers differ from run to run.
const (
	allStamps = `^the device gives COMPLETION_TIMESTAMP\|COMPLETION_TIMESTAMP_WALLCLOCK \(0x880\)\n` +
		`     64 bytes written: \S+s later, \d+ cycles of the device's clock\n` +
		`   4096 bytes written: \S+s later, \d+ cycles of the device's clock\n` +
		`  65536 bytes written: \S+s later, \d+ cycles of the device's clock\n` +
		`1048576 bytes written: \S+s later, \d+ cycles of the device's clock\n` +
		`the device's clock has 250000 kHz\n$`
	noStamps = `^the device has no timestamps; these are the times when the program saw a completion\n` +
		`     64 bytes written: \S+s later\n` +
		`   4096 bytes written: \S+s later\n` +
		`  65536 bytes written: \S+s later\n` +
		`1048576 bytes written: \S+s later\n$`
)

// TestRun runs the program on software devices with and without timestamps and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		name, device string
		opts         []softverbs.Option
		want         string
	}{
		{"with timestamps", "", nil, allStamps},
		{"without", "", []softverbs.Option{softverbs.StandardFields()}, noStamps},
		{"named device, else software", os.Getenv("VERBS_DEVICE"), nil, `^the device (.*\n)+ *1048576 bytes written: \S+s later`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, test.device, test.opts...); err != nil {
				t.Fatal(err)
			}
			if !regexp.MustCompile(test.want).MatchString(out.String()) {
				t.Errorf("printed\n%swant\n%s", &out, test.want)
			}
		})
	}
}

// TestNoQueue has the device refuse the queue for another reason than its fields.
func TestNoQueue(t *testing.T) {
	if err := run(io.Discard, "", softverbs.Fail("ibv_create_cq_ex", 1, syscall.ENOMEM)); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("error %v", err)
	}
}

// TestCycles takes the difference of timestamps, with a clock of few bits that starts again at 0.
func TestCycles(t *testing.T) {
	for _, test := range []struct{ from, to, mask, want uint64 }{
		{100, 130, 0, 30},
		{0xfff0, 0x0010, 0xffff, 0x20},
		{0x1234_fff0, 0xffff, 0xffff, 0xf},
	} {
		if got := cycles(test.from, test.to, test.mask); got != test.want {
			t.Errorf("from %#x to %#x with mask %#x: %#x, want %#x", test.from, test.to, test.mask, got, test.want)
		}
	}
}
