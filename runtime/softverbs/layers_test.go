package softverbs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layers are the headers of the C code, lowest first. A header includes only headers below it. A .c file includes first
// the header of its own layer, which declares what the file is there for, and then only headers below that.
var layers = []string{
	"base.h",       // the lock
	"host.h",       // memory of this process
	"numbers.h",    // numbers that are given out
	"instance.h",   // devices, and calls that are told to fail
	"kernel.h",     // handles and keys
	"address.h",    // GIDs
	"piece.h",      // memory that takes part in an operation
	"objects.h",    // what programs hold pointers to
	"domain.h",     // protection domains
	"region.h",     // memory regions
	"completion.h", // completion queues, events
	"counters.h",   // counters of flows
	"receive.h",    // queues of receive requests
	"steer.h",      // work queues, their tables, actions of flows
	"window.h",     // memory windows
	"qp.h",         // queue pairs
	"xrc.h",        // domains of extended reliable connections
	"flow.h",       // flows of frames
	"wire.h",       // requests between queue pairs
	"worker.h",     // the thread of a device
	"peer.h",       // the thread of a Peer
	"entry.h",      // verbs
	"control.h",    // what Go calls
}

var (
	include  = regexp.MustCompile(`(?m)^#include "(\w+\.h)"`)
	declared = regexp.MustCompile(`(?m)^(?:SVB_HIDDEN|static inline) [^;{]*?\b(svb_\w+)\(|^(?:struct|enum) (svb_\w+) \{|^#define (SVB_\w+)`)
	enum     = regexp.MustCompile(`(?ms)^enum svb_\w+ \{(.*?)\}`)
	constant = regexp.MustCompile(`\bSVB_\w+`)
	word     = regexp.MustCompile(`\b(?:svb|SVB)_\w+`)
	comment  = regexp.MustCompile(`//[^\n]*`)
	row      = regexp.MustCompile(`(?m)^([A-Z_]+)\((.*)\)$`)
)

func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return comment.ReplaceAllString(string(text), "")
}

// included are the names of our headers that a file includes, without the ABI and the table of verbs.
func included(text string) []string {
	var names []string
	for _, m := range include.FindAllStringSubmatch(text, -1) {
		if m[1] != "verbs_abi.h" && m[1] != "table.h" {
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

// owners gives the header that declares each name.
func owners(t *testing.T) map[string]string {
	owner := map[string]string{}
	for _, h := range layers {
		text := source(t, h)
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			owner[m[1]+m[2]+m[3]] = h
		}
		for _, m := range enum.FindAllStringSubmatch(text, -1) {
			for _, c := range constant.FindAllString(m[1], -1) {
				owner[c] = h
			}
		}
		delete(owner, "SVB_"+strings.ToUpper(strings.TrimSuffix(h, ".h"))+"_H")
	}
	for _, r := range table(t) {
		switch r.kind {
		case "VERB":
			owner["SVB_"+r.cols[0]] = "instance.h"
		case "CONTEXT_OP":
			owner[r.cols[1]] = "entry.h"
		case "SYMBOL", "SYMBOL_OF_SLOT", "OP":
			owner[r.cols[2]] = "entry.h"
		}
	}
	return owner
}

func TestLayers(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	if err != nil || len(headers) != len(layers)+1 {
		t.Errorf("%d headers, %d layers and the table of verbs: %v", len(headers), len(layers), err)
	}
	for i, h := range layers {
		for _, inc := range included(source(t, h)) {
			if at := slices.Index(layers, inc); at < 0 || at >= i {
				t.Errorf("%s includes %s, which is not below it", h, inc)
			}
		}
	}
	sources, err := filepath.Glob("*.c")
	if err != nil || len(sources) < 30 {
		t.Fatalf("%d C sources: %v", len(sources), err)
	}
	for _, c := range sources {
		incs := included(source(t, c))
		if len(incs) == 0 {
			t.Errorf("%s includes no header of a layer", c)
			continue
		}
		own := slices.Index(layers, incs[0])
		for _, inc := range incs[1:] {
			if at := slices.Index(layers, inc); at < 0 || at >= own {
				t.Errorf("%s is of the layer of %s and includes %s, which is not below it", c, incs[0], inc)
			}
		}
	}
}

// TestIncludesWhatItUses: each C source includes the headers that declare what it uses, and no others.
func TestIncludesWhatItUses(t *testing.T) {
	owner := owners(t)
	sources, _ := filepath.Glob("*.c")
	for _, c := range sources {
		text := source(t, c)
		used := map[string]string{} // header -> a name
		for _, w := range word.FindAllString(text, -1) {
			if h := owner[w]; h != "" && h != "base.h" { // which every header includes
				used[h] = w
			}
		}
		incs := included(text)
		for h, name := range used {
			if !slices.Contains(incs, h) {
				t.Errorf("%s uses %s and does not include %s", c, name, h)
			}
		}
		for _, h := range incs {
			if used[h] == "" && !(c == "symbol.c" && h == "entry.h") { // whose rows it takes from the table
				t.Errorf("%s includes %s and uses nothing of it", c, h)
			}
		}
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
		if r.kind == "VERB" && !regexp.MustCompile(`\bSVB_`+r.cols[0]+`\b`).MatchString(all) {
			t.Errorf("%s can be told to fail and never asks svb_fails for SVB_%s", r.cols[1], r.cols[0])
		}
	}
}
