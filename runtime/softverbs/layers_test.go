package softverbs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A layer is a header and the C files that define what it declares.
type layer struct {
	header string
	files  []string
}

// layers are the layers of the C code, lowest first. A header includes only headers below it. A C file includes first the
// header of its layer, with which it has those that that one includes, and then only headers below that. So it cannot call what a
// higher layer defines.
var layers = []layer{
	{"base.h", []string{"lock.c", "shared.c"}},
	{"host.h", []string{"host.c", "mem.c"}},                             // memory of this process
	{"numbers.h", []string{"numbers.c"}},                                // numbers that are given out
	{"instance.h", []string{"instance.c", "fail.c"}},                    // devices, and calls that fail on request
	{"kernel.h", []string{"kernel.c", "check.c"}},                       // handles and keys
	{"address.h", []string{"address.c"}},                                // GIDs
	{"piece.h", []string{"piece.c"}},                                    // memory that takes part in an operation
	{"objects.h", []string{"registry.c"}},                               // what programs hold pointers to
	{"domain.h", []string{"block.c"}},                                   // protection domains
	{"region.h", []string{"region.c", "dmabuf.c"}},                      // memory regions
	{"completion.h", []string{"event.c", "completion.c"}},               // events, completion queues
	{"counters.h", nil},                                                 // counters of flows
	{"receive.h", []string{"receive.c"}},                                // queues of receive requests
	{"steer.h", nil},                                                    // work queues, their tables, actions of flows
	{"window.h", []string{"window.c"}},                                  // memory windows
	{"qp.h", []string{"qpn.c", "late.c", "turn.c", "limits.c"}},         // queue pairs
	{"xrc.h", []string{"srqn.c"}},                                       // domains of extended reliable connections
	{"flow.h", nil},                                                     // flows of frames
	{"wire.h", []string{"respond.c", "raw.c", "spread.c", "request.c"}}, // requests between queue pairs
	{"worker.h", []string{"worker.c"}},                                  // the thread of a device
	{"peer.h", []string{"rdma.c", "peer.c"}},                            // what a Peer does
	{"entry.h", []string{ // verbs
		"query.c", "text.c", "async.c", "pd.c", "buf.c", "mr.c", "rereg.c", "dm.c", "ah.c", "ahwc.c", "chan.c", "cq.c", "cqex.c", "srq.c",
		"xrcd.c", "wq.c", "counters.c", "flowaction.c", "target.c", "post.c", "wr.c", "qp.c", "rwq.c", "qpex.c", "qpstate.c", "lacking.c",
		"compcntr.c", "mw.c", "mcast.c", "flow.c", "device.c",
	}},
	{"control.h", []string{"machine.c", "trouble.c", "symbol.c"}}, // what Go calls
}

// layerOf returns the index of the layer with a header, or -1.
func layerOf(header string) int {
	return slices.IndexFunc(layers, func(f layer) bool { return f.header == header })
}

var (
	include = regexp.MustCompile(`(?m)^#include "(\w+\.h)"`)
	comment = regexp.MustCompile(`//[^\n]*`)
	row     = regexp.MustCompile(`(?m)^([A-Z_]+)\((.*)\)$`)
)

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return comment.ReplaceAllString(string(text), "")
}

// included are the names of headers of this folder that a file includes, without the table of verbs.
func included(text string) []string {
	var names []string
	for _, m := range include.FindAllStringSubmatch(text, -1) {
		if m[1] != "table.h" {
			names = append(names, m[1])
		}
	}
	return names
}

type verbRow struct {
	kind string
	cols []string
}

func table(t *testing.T) []verbRow {
	var rows []verbRow
	for _, m := range row.FindAllStringSubmatch(source(t, "table.h"), -1) {
		rows = append(rows, verbRow{m[1], strings.Split(m[2], ", ")})
	}
	if len(rows) < 50 {
		t.Fatalf("read %d rows of table.h", len(rows))
	}
	return rows
}

func TestLayers(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	if err != nil || len(headers) != len(layers)+1 {
		t.Errorf("%d headers, %d layers and the table of verbs: %v", len(headers), len(layers), err)
	}
	var files []string
	for i, f := range layers {
		for _, inc := range included(source(t, f.header)) {
			if at := layerOf(inc); at < 0 || at >= i {
				t.Errorf("%s includes %s, which is not below it", f.header, inc)
			}
		}
		for _, c := range f.files {
			incs := included(source(t, c))
			if len(incs) == 0 || incs[0] != f.header {
				t.Errorf("%s does not include first the header of its layer, %s", c, f.header)
				continue
			}
			for _, inc := range incs[1:] {
				if at := layerOf(inc); at < 0 || at >= i {
					t.Errorf("%s is on the layer of %s and includes %s, which is not below it", c, f.header, inc)
				}
			}
		}
		files = append(files, f.files...)
	}
	slices.Sort(files)
	if sources, err := filepath.Glob("*.c"); err != nil || !slices.Equal(files, sources) {
		t.Errorf("the layers have the files\n%s\nand there are\n%s\n%v", files, sources, err)
	}
}

// TestTableOfVerbs: C code knows a verb's name by the table alone, and each verb that can be told to fail asks whether it is.
func TestTableOfVerbs(t *testing.T) {
	all := ""
	sources, _ := filepath.Glob("*.c")
	for _, c := range sources {
		all += source(t, c)
	}
	if at := strings.Index(all, `"ibv_`); at >= 0 {
		t.Errorf("a name of a verb outside of table.h: %.60s", all[at:])
	}
	for _, r := range table(t) {
		if strings.HasPrefix(r.kind, "VERB") && !regexp.MustCompile(`\bSVB_`+r.cols[0]+`\b`).MatchString(all) {
			t.Errorf("%s can be told to fail and never asks svb_fails for SVB_%s", r.cols[1], r.cols[0])
		}
	}
}
