package facts

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// DefaultVersions maps the functions that a library exports to their default versions, as objdump tells them: it puts the
// others in parentheses.
func DefaultVersions(lib string) (map[string]string, error) {
	out, err := exec.Command("objdump", "-T", lib).Output()
	if err != nil {
		return nil, fmt.Errorf("objdump -T %s: %w", lib, err)
	}
	versions := map[string]string{}
	sc := bufio.NewScanner(bytes.NewReader(out))
	for sc.Scan() {
		// 000000000000c0d0 g    DF .text  0000000000000151  IBVERBS_1.1 ibv_reg_mr
		w := strings.Fields(sc.Text())
		if len(w) == 7 && w[1] == "g" && w[2] == "DF" && w[3] == ".text" && w[5][0] != '(' {
			versions[w[6]] = w[5]
		}
	}
	if len(versions) == 0 {
		return nil, fmt.Errorf("objdump -T %s tells no versioned function", lib)
	}
	return versions, sc.Err()
}

// CompareVersions reports where the default versions of the exported functions differ.
func CompareVersions(rel *api.Release, versions map[string]string) []string {
	var diffs []string
	for _, f := range rel.Functions {
		if f.Kind == api.Inline {
			continue
		}
		if v := versions[f.Name]; v != f.Version {
			diffs = append(diffs, fmt.Sprintf("function %s: version is %s, objdump says %s", f.Name, f.Version, v))
		}
		if private := strings.Contains(f.Version, "PRIVATE"); private != f.Private {
			diffs = append(diffs, fmt.Sprintf("function %s: private is %v at version %s", f.Name, f.Private, f.Version))
		}
	}
	return diffs
}
