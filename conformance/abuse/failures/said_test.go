//go:build linux && cgo

package failures

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var (
	update   = flag.Bool("update", false, "write docs/errors.md")
	recordAs = flag.String("record", "", "print what is said as lines for -said, as of this column: \"linux-6.1\"")
	saidFile = flag.String("said", "", "with -update: store the lines that a run with -record printed")
)

const (
	document = "../../../docs/errors.md"
	stored   = "testdata/said.json"
	now      = "now"
	asNow    = "as now" // stored of a kernel for the text of column now, whatever it becomes
)

// Columns of the document.
var columns = []string{now, "linux-6.1", "linux-6.12", "linux-7.2"}

// line is a text of a situation.
type line struct{ Column, Name, Said string }

// here are the texts of this run, onKernel those of the kernel's device.
var here, onKernel = map[string]string{}, map[string]string{}

// varying is what differs from run to run: addresses, paths of the test, warnings of libibverbs.
var varying = []struct {
	of *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`0x[0-9a-f]{9,}`), "0x7f0000000000"},
	{regexp.MustCompile(`/tmp/\w+[^ );]*?/sys/class`), "/sys/class"},
	{regexp.MustCompile(`/tmp/Test[^ );]*/`), "/tmp/"},
	{regexp.MustCompile(`/tmp/\d+`), "/tmp/file"},
	{regexp.MustCompile(`(?m)^libibverbs: Warning: .*\n`), ""},
	{regexp.MustCompile(`of queue pair 0x\w+`), "of queue pair 0x11"},
	{regexp.MustCompile(`user \w+ may not`), "user nobody may not"}, // some machines have no names
	{regexp.MustCompile(`owner \w+, group \w+`), "owner root, group root"},
	{regexp.MustCompile(`fe80::[0-9a-f:]+`), "fe80::200:5eff:fe00:1"},
	{regexp.MustCompile(`\w+_test\.go:\d+`), "main.go:17"},
	{regexp.MustCompile(`all of the \d+ file descriptors`), "all of the 1024 file descriptors"},
	{regexp.MustCompile(`only (\d) of \d+ file`), "only $1 of 1024 file"},
}

// record keeps what was said, by a device or in an environment. The document has what the plain software device says, or the kernel.
func record(name, on, said string) {
	for _, v := range varying {
		said = v.of.ReplaceAllString(said, v.to)
	}
	if on != kernel && on != "" && on != plain {
		return
	}
	if on == kernel {
		onKernel[name] = said
	} else {
		here[name] = said
	}
	if *recordAs != "" && (on == kernel) == strings.HasPrefix(*recordAs, "linux") {
		text, _ := json.Marshal(line{*recordAs, name, said})
		fmt.Printf("said: %s\n", text)
	}
}

// TestDocument writes docs/errors.md, or compares it: each situation is there, and its text is what the tests want. On a kernel device,
// what was said is what is stored of that kernel.
func TestDocument(t *testing.T) {
	all := map[string]map[string]string{}
	data, err := os.ReadFile(stored)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	if *deviceFlag != "" {
		sameAsStored(t, all)
		return
	}
	if *update {
		store(t, all)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range situations() {
		if !regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(s.name) + ` \|`).Match(text) {
			t.Errorf("%s has no row %q; run go test ./conformance/abuse/failures -update", document, s.name)
		}
		for _, want := range s.says {
			if said, known := all[now][s.name]; known && !regexp.MustCompile(want).MatchString(said) {
				t.Errorf("%s: %q is stored, and the tests want %q; run go test ./conformance/abuse/failures -update", s.name, said, want)
			}
		}
	}
}

// sameAsStored compares what the kernel's device said with what is stored of that kernel.
func sameAsStored(t *testing.T, all map[string]map[string]string) {
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		t.Fatal(err)
	}
	column := "linux-" + regexp.MustCompile(`^\d+\.\d+`).FindString(unix.ByteSliceToString(uts.Release[:]))
	if all[column] == nil {
		t.Skipf("nothing is stored of %s", column)
	}
	for name, said := range onKernel {
		want, ok := all[column][name]
		if want == asNow {
			want = all[now][name]
		}
		if !ok || said != want {
			t.Errorf("%s: %q, and %q is stored of %s; store what a run in the VM with -record %s printed, with -update -said FILE",
				name, said, want, column, column)
		}
	}
}

// situation is a row of the document.
type situation struct {
	part, name string
	says       []string
}

func situations() (out []situation) {
	for _, e := range environments() {
		out = append(out, situation{"Machines", e.name, e.says})
	}
	for _, m := range mistakes() {
		out = append(out, situation{"Mistakes", m.name, []string{m.says}})
	}
	return out
}

// store writes what was said, and the document.
func store(t *testing.T, all map[string]map[string]string) {
	put := func(l line) {
		if all[l.Column] == nil {
			all[l.Column] = map[string]string{}
		}
		all[l.Column][l.Name] = l.Said
	}
	for name, said := range here {
		put(line{now, name, said})
	}
	if *saidFile != "" {
		f, err := os.Open(*saidFile)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			var l line
			if _, text, ok := strings.Cut(sc.Text(), "said: {"); ok && json.Unmarshal([]byte("{"+text), &l) == nil && l.Column != "" {
				put(l)
			}
		}
	}
	for _, column := range columns {
		for name, said := range all[column] {
			if strings.HasPrefix(column, "linux-") && said == all[now][name] {
				all[column][name] = asNow
			}
		}
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(intro)
	part := ""
	for _, s := range situations() {
		if s.part != part {
			part = s.part
			fmt.Fprintf(&b, "\n## %s\n\n| situation | %s |\n|---|%s\n", part, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		}
		fmt.Fprintf(&b, "| %s |", s.name)
		for _, column := range columns {
			fmt.Fprintf(&b, " %s |", cell(all, column, s.name))
		}
		b.WriteString("\n")
	}
	for file, text := range map[string]string{document: b.String(), stored: string(data) + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// cell is a text in a table, or "as now" for the same text.
func cell(all map[string]map[string]string, column, name string) string {
	said, known := all[column][name]
	switch {
	case !known:
		return ""
	case said == "":
		return "no error"
	case said == asNow:
		return asNow
	}
	return "`" + strings.ReplaceAll(strings.ReplaceAll(said, "\n", " "), "|", "\\|") + "`"
}

const intro = `# Errors

What a program reads when something is missing on the machine, and when it makes a mistake. The column "now" is of the software device,
or of the real libibverbs where the machine is what matters; the others are of soft-RoCE on that kernel, in a virtual machine. A text that
begins with a file and a line is a hint of OnLint: the device took the call.

The tests of conformance/abuse/failures hold these texts, on softverbs, LikeMLX5, LikeRXE61 and soft-RoCE. ` + "`go test ./conformance/abuse/failures -update`" + `
writes this page; ` + "`make conformance-vm`" + ` compares what the kernel's device says with what is stored of its kernel.
`
