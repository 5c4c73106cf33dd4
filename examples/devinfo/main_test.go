//go:build linux && cgo

package main

import (
	"errors"
	"flag"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/examples/devinfo/devinfo"
	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestSoft prints a device made of software, and looks at lines of every form.
func TestSoft(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, io.Discard, []string{"-soft"}); err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(out.String(), "\n"); first != "hca_id:\tsoft0" {
		t.Errorf("first line %q", first)
	}
	for _, want := range []string{
		`\ttransport:\t\t\tInfiniBand \(0\)`, `\tnode_guid:\t\t\t0200:5eff:fe00:0001`, `\tmax_mr_size:\t\t\t0x[0-9a-f]+`, `\tmax_qp:\t\t\t\t\d+`,
		`\tatomic_cap:\t\t\tATOMIC_HCA \(1\)`, `\tmax_total_mcast_qp_attach:\t\d+`, `\trc_odp_caps:\n\t\t\t\t\tNO SUPPORT`,
		`\thca_core_clock:\t\t\t250000kHZ`,
		`\tpacket_pacing_caps:\n\t\tqp_rate_limit_min:\t0kbps`, `\tnum_comp_vectors:\t\t\d+`, `\t\tport:\t1`,
		`\t\t\tstate:\t\t\tPORT_ACTIVE \(4\)`,
		`\t\t\tactive_mtu:\t\t4096 \(5\)`, `\t\t\tinit_type_reply:\t0`, `\t\t\tactive_width:\t\t\d+X \(\d+\)`,
		`\t\t\tactive_speed:\t\t\d+\.0 Gbps \(\d+\)`,
		`\t\t\tphys_state:\t\tLINK_UP \(5\)`, `\t\t\tGID\[  1\]:\t\t::ffff:\d+\.\d+\.\d+\.\d+`,
	} {
		if !regexp.MustCompile(`\n` + want + `\n`).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

// TestCapable prints a device that can do more: flags with a name and without, and two ports.
func TestCapable(t *testing.T) {
	s := softverbs.New(softverbs.Ports(2), softverbs.ODP(3, 0x1f, 0, 0x120),
		softverbs.CapFlags(uint64(verbs.DeviceCapExXRC|verbs.DeviceCapExRawScatterFCS)|1<<15|1<<39))
	defer s.Close()
	lib, err := verbs.LoadFrom(s)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := print(&out, lib, "soft0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"general_odp_caps:\n\t\t\t\t\tODP_SUPPORT\n\t\t\t\t\tODP_SUPPORT_IMPLICIT",
		"ud_odp_caps:\n\t\t\t\t\tSUPPORT_SRQ\n\t\t\t\t\tUnknown flags: 0x100",
		"\t\t\t\t\tXRC\n\t\t\t\t\tUnknown flags: 0x8000", "\t\t\t\t\tRAW_SCATTER_FCS\n\t\t\t\t\tUnknown flags: 0x8000000000",
		"\t\tport:\t2",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if err := print(io.Discard, lib, "other"); err == nil || !strings.Contains(err.Error(), `no device "other"; there is soft0`) {
		t.Errorf("a device that is not there: %v", err)
	}
}

// TestClosed asks a device that was closed: the error arrives, and nothing is printed.
func TestClosed(t *testing.T) {
	s := softverbs.New()
	defer s.Close()
	lib, err := verbs.LoadFrom(s)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	if err := dev.CloseAll(); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := devinfo.Write(&out, dev, verbs.DeviceEntry{Name: "soft0"}); err == nil || out.Len() > 0 {
		t.Errorf("a closed device: %v, %q", err, &out)
	}
}

// TestUse gives wrong command lines.
func TestUse(t *testing.T) {
	for line, want := range map[string]error{"soft0": start.ErrUsage, "-x": start.ErrUsage, "-h": flag.ErrHelp} {
		if err := run(t.Context(), io.Discard, io.Discard, []string{line}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", line, err, want)
		}
	}
}
