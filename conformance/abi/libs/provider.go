//go:build linux && cgo

package libs

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

//go:embed src/provider.c
var providerSource []byte

// provider is a libibverbs of one device whose context is laid out as a release's own verbs.h has it.
type provider struct {
	*object
	numbers map[string]int // of the operations that the release has
}

// buildProvider compiles one in dir, against the infiniband/verbs.h below include, which is that of the release.
func buildProvider(dir, include string, release *api.Release) (*provider, error) {
	p := &provider{numbers: map[string]int{}}
	ops := p.ops(release, "struct verbs_context", "VERBS") + p.ops(release, "struct ibv_context_ops", "PLAIN")
	source, out := filepath.Join(dir, "provider.c"), filepath.Join(dir, "provider.so")
	if err := os.WriteFile(filepath.Join(dir, "ops.h"), []byte(ops), 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(source, providerSource, 0o644); err != nil {
		return nil, err
	}
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	args := append(cc[1:], "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-isystem", include, "-o", out, source)
	said, err := exec.Command(cc[0], args...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s with the header of %s: %w\n%s", cc[0], include, err, said)
	}
	p.object, err = openObject(out)
	return p, err
}

// ops returns the lines of ops.h for the function pointers of a record, and numbers them. Compilation shows that the header
// has each of them. A code is an error number; only ibv_poll_cq has a count, whose errors are negative.
func (p *provider) ops(release *api.Release, tag, macro string) string {
	var b strings.Builder
	i := slices.IndexFunc(release.Records, func(r api.Record) bool { return r.Tag == tag })
	if i < 0 {
		return ""
	}
	for _, f := range release.Records[i].Fields {
		if f.Func == nil || strings.HasPrefix(f.Name, "_compat") || strings.HasPrefix(f.Name, "ABI_placeholder") {
			continue
		}
		number := 1001 + len(p.numbers)
		p.numbers[f.Name] = number
		kind, result := "CODE", number
		switch {
		case strings.HasSuffix(f.Func.Ret, "*"):
			kind = "POINTER"
		case f.Name == "poll_cq":
			result = -number
		}
		fmt.Fprintf(&b, "%s(%s, %s, %d, %d)\n", macro, kind, f.Name, number, result)
	}
	return b.String()
}
