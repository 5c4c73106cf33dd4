package audit

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// lineWidth is the width at which pages are rendered: so wide that nearly every paragraph is one line, and the
// widest that mandoc takes.
const lineWidth = 1000

// maxPage bounds what is read of one page; the longest page of rdma-core is about 30 kB.
const maxPage = 4 << 20

// Tool is a program that turns a man page's source into text.
type Tool struct {
	Name string // "groff" or "mandoc"
	Path string
}

// FindTool finds groff, else mandoc, on the program path.
func FindTool() (Tool, error) {
	for _, name := range []string{"groff", "mandoc"} {
		if path, err := exec.LookPath(name); err == nil {
			return Tool{Name: name, Path: path}, nil
		}
	}
	return Tool{}, errors.New("neither groff nor mandoc is installed; install groff-base or mandoc")
}

// args are the options that make the tool fill lines to lineWidth and leave out hyphenation and typewriter
// effects as far as it can be told to.
func (t Tool) args() []string {
	width := strconv.Itoa(lineWidth)
	if t.Name == "mandoc" {
		return []string{"-man", "-Tutf8", "-Owidth=" + width}
	}
	return []string{"-Kutf8", "-t", "-man", "-Tutf8", "-P-c", "-P-b", "-P-o", "-P-u",
		"-rLL=" + width + "n", "-rLT=" + width + "n", "-rHY=0"}
}

// render returns the page as text, in UTF-8, still with the tool's line breaks.
func (t Tool) render(ctx context.Context, source []byte) (string, error) {
	cmd := exec.CommandContext(ctx, t.Path, t.args()...)
	cmd.Stdin = bytes.NewReader(source)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "GROFF_NO_SGR=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	// mandoc ends with a warning level as its status: a page that came out is good enough.
	if err != nil && out.Len() == 0 {
		first, _, _ := strings.Cut(errs.String(), "\n")
		return "", fmt.Errorf("%s: %w: %s", t.Name, err, first)
	}
	return out.String(), nil
}

// markdown ends the names of pages in the source of rdma-core that its build makes man pages of, by pandoc.
const markdown = ".3.md"

// roff makes a man page of Markdown as the build does, so that its passages have the same hashes.
func roff(ctx context.Context, file string, source []byte) ([]byte, error) {
	if !strings.HasSuffix(file, markdown) {
		return source, nil
	}
	cmd := exec.CommandContext(ctx, "pandoc", "--standalone", "--sandbox", "--from=markdown", "--to=man")
	cmd.Stdin = bytes.NewReader(source)
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("%s is Markdown, and pandoc is not installed; install it, or name a folder with the pages of a package", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: pandoc: %w", file, err)
	}
	return out, nil
}

// errAbsent says that a folder has no such page.
var errAbsent = errors.New("no such page")

// pageFile finds the file of a page of section 3 in dir or dir/man3.
func pageFile(dir, page string) (string, error) {
	for _, sub := range []string{dir, filepath.Join(dir, "man3")} {
		for _, ext := range []string{".3.gz", ".3", markdown} {
			name := filepath.Join(sub, page+ext)
			if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
				return name, nil
			}
		}
	}
	return "", errAbsent
}

// readPage reads a page's source, unpacks it, and follows one ".so" line to the page that it stands for.
func readPage(file string) ([]byte, error) {
	src, err := readFile(file)
	if err != nil {
		return nil, err
	}
	target, ok := soTarget(src)
	if !ok {
		return src, nil
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(target), ".gz"), ".3")
	other, err := pageFile(filepath.Dir(file), base)
	if err != nil {
		return nil, fmt.Errorf("%s stands for %s: %w", file, target, err)
	}
	if src, err = readFile(other); err != nil {
		return nil, err
	}
	if _, again := soTarget(src); again {
		return nil, fmt.Errorf("%s stands for %s, which stands for another page", file, target)
	}
	return src, nil
}

// soTarget returns the file named by a page that is nothing but a ".so" line and comments.
func soTarget(src []byte) (string, bool) {
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, `.\"`) || strings.HasPrefix(line, `'\"`) {
			continue
		}
		return strings.CutPrefix(line, ".so ")
	}
	return "", false
}

func readFile(file string) ([]byte, error) {
	f, err := regular.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r = z
	}
	src, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(src) > maxPage {
		return nil, fmt.Errorf("%s: larger than %d bytes", file, maxPage)
	}
	return src, nil
}
