package softcm_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softcm/kernel"
)

// layers are the layers of the C code, lowest first: a header, and the C files that define what it declares. A header includes only
// headers below it. A C file includes first the header of its layer and then only headers below that. The names are those in the folder
// of each half.
var layers = []struct {
	header string
	files  []string
}{
	{"base.h", []string{"lock.c"}},
	{"machine.h", []string{"rules.c"}}, // messages that get lost
	{"addr.h", []string{"addr.c"}},     // addresses
	{"kernel.h", []string{"timer.c", "queue.c", "ports.c", "bind.c", "wire.c", "connect.c", "join.c", "life.c"}},
	{"abi.h", nil},
	{"library.h", []string{"machine.c"}},
	{"entry.h", []string{"devices.c", "query.c", "channels.c", "qps.c", "ids.c", "connections.c", "groups.c", "events.c"}},
	{"control.h", []string{"trouble.c", "symbol.c", "control.c"}}, // what Go calls
}

var include = regexp.MustCompile(`(?m)^#include "(?:kernel/src/)?(\w+\.h)"`)

// read reads a file of either half.
func read(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return kernel.Source.ReadFile("src/" + name)
	}
	return text, nil
}

// included are the names of headers of this folder that a file includes, without the lists that have no layer.
func included(t *testing.T, name string) []string {
	t.Helper()
	text, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range include.FindAllStringSubmatch(string(text), -1) {
		if !slices.Contains([]string{"table.h", "layout.h"}, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

func TestLayers(t *testing.T) {
	below := map[string]bool{}
	var files []string
	for _, l := range layers {
		for _, inc := range included(t, l.header) {
			if !below[inc] {
				t.Errorf("%s includes %s, which is not below it", l.header, inc)
			}
		}
		for _, c := range l.files {
			incs := included(t, c)
			if len(incs) == 0 || incs[0] != l.header {
				t.Errorf("%s does not include first the header of its layer, %s", c, l.header)
				continue
			}
			for _, inc := range incs[1:] {
				if !below[inc] {
					t.Errorf("%s is on the layer of %s and includes %s, which is not below it", c, l.header, inc)
				}
			}
		}
		below[l.header] = true
		files = append(files, l.files...)
	}
	files = append(files, "all.c", "kernel.c") // which compile the others
	slices.Sort(files)
	sources, err := filepath.Glob("*.c")
	more, _ := filepath.Glob("kernel/src/*.c")
	for _, c := range more {
		sources = append(sources, filepath.Base(c))
	}
	slices.Sort(sources)
	if err != nil || !slices.Equal(files, sources) {
		t.Errorf("the layers have the files\n%s\nand there are\n%s\n%v", files, sources, err)
	}
}

// TestTable: each function that can be told to fail asks whether it is.
func TestTable(t *testing.T) {
	table, err := os.ReadFile("table.h")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, l := range layers {
		for _, c := range l.files {
			text, _ := read(c)
			all += string(text)
		}
	}
	rows := regexp.MustCompile(`(?m)^VERB(?:_OF_SLOT)?\((\w+), (\w+)`).FindAllStringSubmatch(string(table), -1)
	if len(rows) < 20 {
		t.Fatalf("read %d rows", len(rows))
	}
	for _, r := range rows {
		if !strings.Contains(all, "SCM_V_"+r[1]) {
			t.Errorf("rdma_%s can be told to fail and never asks for SCM_V_%s", r[2], r[1])
		}
	}
}
