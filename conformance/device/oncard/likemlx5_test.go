//go:build linux && cgo

package oncard

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// asked asks a device of a library all questions.
func asked(t *testing.T, lib rulecall.Symbols, device string) *asker {
	t.Helper()
	a := newAsker(t, lib, device)
	a.memory()
	a.queues()
	a.changes()
	a.posts()
	a.others()
	return a
}

// difference is why answers differ. Right says who answers as a ConnectX card with the driver of Linux would.
type difference struct {
	questions *regexp.Regexp
	right     string
	why       string
}

const (
	libmlx5 = "libmlx5"
	neither = "neither" // the numbers are those of one device
)

// differences have a row for every question whose answers may differ. In none of them the user half decides, but where why says so.
var differences = []difference{
	{regexp.MustCompile(`^reg_mr access 0x[12]00$`), libmlx5, "FLUSH is of kernels from 6.3 on: the card has the driver of 6.1, LikeMLX5 a newer one"},
	{regexp.MustCompile(`^create_qp_ex IBV_QPT_RAW_PACKET (comp_mask PD and 0x8|send_ops_flags 0x400)$`), libmlx5, "LikeMLX5 has no TSO"},
	{regexp.MustCompile(`^create_qp_ex IBV_QPT_UD create_flags 0x[12]00$`), libmlx5,
		"flags of frames are EINVAL for datagrams (core/uverbs_std_types_qp.c, check_creation_flags) before the driver sees them"},
	{regexp.MustCompile(`^create_qp_ex IBV_QPT_(UD|RAW_PACKET) create_flags 0x(2|400)$`), libmlx5,
		"LikeMLX5 has no queue pairs that keep their own multicasts out, and none with another number"},
	{regexp.MustCompile(`^create_cq vector 1$`), neither, "the number of completion vectors is the device's"},
	{regexp.MustCompile(`^create_cq_ex wc_flags 0x400$`), libmlx5, "the user half allows TM_INFO; LikeMLX5 matches no tags"},
	{regexp.MustCompile(`^modify_qp .* timeout 32$`), libmlx5, "the driver takes 5 bits of a timeout; LikeMLX5 checks them as soft-RoCE"},
	{regexp.MustCompile(`^query_gid 256 of port 1$`), neither, "the length of the table of GIDs is the device's"},
	{regexp.MustCompile(`^create_ah sgid_index [13]$`), neither, "the entries of the table of GIDs are the network's"},
	{regexp.MustCompile(`^alloc_parent_domain comp_mask [46]`), libmlx5,
		"rdma-core 44.0 does not know the bit of unprotected memory; LikeMLX5 takes it with each release"},
}

// TestLikeMLX5 asks softverbs.LikeMLX5 and the real libmlx5 the same questions. Each answer that differs has a reason in differences;
// testdata/likemlx5.txt has them all.
func TestLikeMLX5(t *testing.T) {
	device := softverbs.New(softverbs.LikeMLX5(), softverbs.NetRaw(), softverbs.Release("44.0"))
	defer device.Close()
	soft, real := asked(t, device, device.Names()[0]), asked(t, must(dl.Open(""))(t), card.Devices[0])
	if !slices.Equal(soft.names, real.names) {
		t.Fatal("the two were asked different questions")
	}
	lines := make([]string, len(differences))
	differ := 0
	for _, name := range real.names {
		s, r := soft.answers[name], real.answers[name]
		if s == r {
			continue
		}
		differ++
		i := slices.IndexFunc(differences, func(d difference) bool { return d.questions.MatchString(name) })
		if i < 0 {
			t.Errorf("%s: LikeMLX5 %s; libmlx5 %s; the answers differ, and differences has no reason", name, s, r)
			continue
		}
		lines[i] += fmt.Sprintf("%s: LikeMLX5 %s; libmlx5 %s\n", name, s, r)
	}
	t.Logf("%d questions, %d answers differ", len(real.names), differ)
	var b strings.Builder
	for i, d := range differences {
		if lines[i] == "" {
			t.Errorf("no answers differ for the reason that %s", d.why)
		}
		fmt.Fprintf(&b, "# %s; right: %s\n%s\n", d.why, d.right, lines[i])
	}
	compare(t, "testdata/likemlx5.txt", b.String())
}

// compare holds a text against a file, which -update writes.
func compare(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		must(0, os.WriteFile(file, []byte(text), 0o644))(t)
	}
	if want := must(os.ReadFile(file))(t); string(want) != text {
		t.Errorf("%s is outdated; run go test ./conformance/device/oncard -run %s -update, and read its diff", file, t.Name())
	}
}
