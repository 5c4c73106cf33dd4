package cheader

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// compiler is a C compiler for linux with glibc on one architecture.
type compiler struct {
	command []string
	arch    string
}

func (c compiler) String() string { return strings.Join(c.command, " ") }

var machineOf = map[string]string{amd64: "x86_64", arm64: "aarch64"}

// findCompiler returns a compiler for an architecture: that of cgo, or a cross compiler.
func findCompiler(arch string) (compiler, bool) {
	target := machineOf[arch] + "-linux-gnu"
	native := [][]string{strings.Fields(os.Getenv("CC")), {"cc"}, {"gcc"}, {"clang"}}
	if runtime.GOARCH != arch || runtime.GOOS != "linux" {
		native = nil
	}
	for _, command := range append(native, []string{target + "-gcc"}, []string{"clang", "--target=" + target}) {
		if len(command) == 0 {
			continue
		}
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		out, err := exec.Command(command[0], append(slices.Clone(command[1:]), "-dumpmachine")...).Output()
		if m := strings.TrimSpace(string(out)); err == nil && strings.HasPrefix(m, machineOf[arch]+"-") && strings.HasSuffix(m, "linux-gnu") {
			return compiler{command, arch}, true
		}
	}
	return compiler{}, false
}

// system is what a compiler has for all headers.
type system struct {
	compiler
	folders []string // of system headers
	macros  string   // that it defines itself
}

var systemFolders = regexp.MustCompile(`(?s)#include <\.\.\.> search starts here:\n(.*?)End of search list`)

func (s *system) String() string {
	if s.folders == nil {
		return "the headers of -I in place of verbsgen's own"
	}
	return fmt.Sprintf("the system headers of %v", s.compiler)
}

// systemOf asks a compiler for its headers and macros; without a compiler there are none.
func systemOf(arch string) *system {
	s := &system{}
	c, ok := findCompiler(arch)
	if !ok {
		return s
	}
	cmd := exec.Command(c.command[0], append(slices.Clone(c.command[1:]), "-x", "c", "-E", "-dM", "-v", os.DevNull)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	m := [][]byte(nil)
	if err := cmd.Run(); err == nil {
		m = systemFolders.FindSubmatch(said.Bytes())
	}
	if m == nil {
		return s
	}
	s.compiler = c
	for _, dir := range strings.Fields(string(m[1])) {
		s.folders = append(s.folders, filepath.Clean(dir))
	}
	for line := range strings.Lines(out.String()) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "#define "), " ")
		if !strings.Contains(predefined, "#define "+name+" ") && !strings.Contains(name, "(") {
			s.macros += line
		}
	}
	return s
}

// compareLayouts holds the records of a header against what C compilers make of them, one for each architecture. note is told what was
// not compared.
func (f *facts) compareLayouts(rel *api.Release, note func(string)) diag.List {
	arches := []string{amd64, arm64}
	results := make([]comparison, len(arches))
	var wait sync.WaitGroup
	for i, arch := range arches {
		wait.Go(func() {
			if c, ok := findCompiler(arch); ok {
				results[i] = c.compare(f, rel)
			} else {
				results[i].why = "there is no C compiler for it"
			}
		})
	}
	wait.Wait()
	var list diag.List
	for i, r := range results {
		if r.why != "" {
			note(fmt.Sprintf("the layouts of %s were not compared with a compiler's on %s: %s", f.p.opts.Header, arches[i], r.why))
		}
		list = append(list, r.differences...)
	}
	return list
}

// comparison is what a compiler says about the records of a header.
type comparison struct {
	differences diag.List
	why         string // not all were compared
}

// question is a constant that the compiler is asked for, or the bits of an object.
type question struct {
	record *api.Record
	what   string
	c      string // the constant, or for a bit field its designator
	want   int64  // for a bit field its first bit
	bits   int64
}

// Sections with the answers, each in a variable of its own.
const (
	answerName  = ".vg_answer_" // and the number of the question
	pointerName = ".vg_pointer" // the size of a pointer
)

func (c compiler) compare(f *facts, rel *api.Release) comparison {
	dir, err := os.MkdirTemp("", "verbsgen-layouts-")
	if err != nil {
		return comparison{why: err.Error()}
	}
	defer os.RemoveAll(dir)
	asked := questions(rel.On(c.arch))
	object := filepath.Join(dir, "layouts.o")
	if said, err := c.compile(f, rel, asked, object); err != nil {
		return comparison{why: fmt.Sprintf("%v: %s", c, cmp.Or(errorLine.FindString(said), err.Error()))}
	}
	return c.read(f, asked, object)
}

var errorLine = regexp.MustCompile(`(?m)^.*error: .*$`)

// compile asks all questions in one compilation, a question a line. Nothing is run.
func (c compiler) compile(f *facts, rel *api.Release, asked []question, object string) (said string, err error) {
	header, err := filepath.Abs(f.p.opts.Header)
	if err != nil {
		return "", err
	}
	var src bytes.Buffer
	fmt.Fprintf(&src, "#include %q\n", header)
	answer := func(ctype, section, value string) {
		fmt.Fprintf(&src, "const %s %s __attribute__((section(%q))) = %s;\n", ctype, section[1:], section, value)
	}
	answer("unsigned long long", pointerName, "sizeof(void *)")
	for i, q := range asked {
		if section := answerName + strconv.Itoa(i); q.bits > 0 {
			answer(cType(rel, q.record.Tag), section, "{"+q.c+" = -1}")
		} else {
			answer("unsigned long long", section, q.c)
		}
	}
	args := append(slices.Clone(c.command[1:]), "-x", "c", "-w", "-O0", "-fno-lto", "-c", "-o", object)
	for _, dir := range f.in.folders() {
		option := "-I"
		if systemFolder(dir) { // behind the compiler's own
			option = "-idirafter"
		}
		args = append(args, option, dir)
	}
	cmd := exec.Command(c.command[0], append(args, "-")...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdin = &src
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	return out.String(), err
}

// questions are about each record that the compiler can name.
func questions(rel *api.Release) (list []question) {
	for i := range rel.Records {
		r := &rel.Records[i]
		t := cType(rel, r.Tag)
		if r.Incomplete || t == "" {
			continue
		}
		list = append(list, question{record: r, what: "size", c: "sizeof(" + t + ")", want: r.Size},
			question{record: r, what: "alignment", c: "_Alignof(" + t + ")", want: r.Align})
		for _, m := range r.Fields {
			switch {
			case m.Name == "" || r.Pos.Line == 0: // a stub's padding has names of its own
			case m.BitSize != nil:
				list = append(list, question{record: r, what: "first bit of " + m.Name, c: "." + m.Name,
					want: 8*m.Offset + int64(*m.BitOffset), bits: int64(*m.BitSize)})
			default:
				list = append(list, question{record: r, what: "offset of " + m.Name,
					c: fmt.Sprintf("__builtin_offsetof(%s, %s)", t, m.Name), want: m.Offset})
				if m.Size > 0 {
					list = append(list, question{record: r, what: "size of " + m.Name,
						c: fmt.Sprintf("sizeof(((%s *)0)->%s)", t, m.Name), want: m.Size})
				}
			}
		}
	}
	return list
}

// cType names a record in C: by its tag, by its typedef, or by the member that has it; empty if nothing does.
func cType(rel *api.Release, tag string) string {
	_, name, _ := strings.Cut(tag, " ")
	if strings.HasSuffix(tag, ">") {
		for _, r := range rel.Records {
			for _, m := range r.Fields {
				before, after, ok := strings.Cut(m.Type, tag)
				if ok && m.Func == nil && m.Name != "" && !strings.Contains(before, "(") && !strings.HasPrefix(after, ".") {
					of := cType(rel, r.Tag)
					if of == "" {
						return ""
					}
					stars := strings.Repeat("*", strings.Count(after, "*")+strings.Count(after, "["))
					return fmt.Sprintf("__typeof__(%s((%s *)0)->%s)", stars, of, m.Name)
				}
			}
		}
		return ""
	}
	for _, t := range rel.Typedefs {
		if t.Name == name && t.Type == tag {
			return name
		}
	}
	return tag
}

// read takes the answers out of an object file.
func (c compiler) read(f *facts, asked []question, object string) (r comparison) {
	file, err := elf.Open(object)
	if err != nil {
		return comparison{why: fmt.Sprintf("%v: the object file cannot be read: %v", c, err)}
	}
	defer file.Close()
	data := map[string][]byte{}
	for _, s := range file.Sections {
		if strings.HasPrefix(s.Name, ".vg_") {
			if data[s.Name], err = s.Data(); err != nil {
				return comparison{why: fmt.Sprintf("%v: the object file cannot be read: %v", c, err)}
			}
		}
	}
	if p := data[pointerName]; len(p) != 8 || p[0] != 8 {
		return comparison{why: fmt.Sprintf("%v: it does not compile for 64 bits", c)}
	}
	var told string
	for i, q := range asked {
		var got, size int64
		switch answer := data[answerName+strconv.Itoa(i)]; {
		case q.bits > 0:
			got, size = ones(answer)
		case len(answer) == 8:
			got = int64(binary.LittleEndian.Uint64(answer))
		}
		if got == q.want && size == q.bits || told == q.record.Tag {
			continue
		}
		told = q.record.Tag
		r.differences.Add(diag.New(diag.HeaderUnsupported, f.in.place(q.record.Pos.File), q.record.Pos.Line, q.record.Pos.Col, q.record.Tag,
			fmt.Sprintf("on %s, verbsgen lays it out in another way than %v: the %s is %d, not %d", c.arch, c, q.what, got, q.want), memberFix))
	}
	return r
}

// ones is the first bit that is set, and how many are.
func ones(data []byte) (first, n int64) {
	first = -1
	for i, b := range data {
		for j := range 8 {
			if b&(1<<j) != 0 {
				if first < 0 {
					first = int64(8*i + j)
				}
				n++
			}
		}
	}
	return first, n
}
