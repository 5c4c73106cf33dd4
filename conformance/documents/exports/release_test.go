package exports

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRelease prepares a release in a copy of the repository, without the checks: a go command that does nothing takes their place. Every
// module is tagged, no file requires the older version, the changelog has both headings, and git checkout undoes it.
func TestRelease(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, name := range []string{"NAME", "EMAIL"} { // of git, where none is set
		t.Setenv("GIT_AUTHOR_"+name, "a")
		t.Setenv("GIT_COMMITTER_"+name, "a")
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	sh := func(script string) string {
		t.Helper()
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sh("cd " + root + " && git ls-files -z .ci/release .ci/tidy go.work CHANGELOG.md README.md '*go.mod' '*go.sum' |" +
		" xargs -0 cp --parents -t " + dir)
	sh("sed -i '0,/^## Unreleased$/s//&\\n\\n- Added: a test/' CHANGELOG.md") // right after a release there may be nothing
	sh("git init -q && git add . && git commit -qm before")

	out := sh(".ci/release v9.8.7")
	modules := regexp.MustCompile(`(?m)^\t(\.\S*)$`).FindAllStringSubmatch(sh("cat go.work"), -1)
	if len(modules) < 6 {
		t.Fatal(modules)
	}
	for _, m := range modules {
		tag := strings.TrimPrefix(strings.TrimPrefix(m[1]+"/v9.8.7", "."), "/")
		if !strings.Contains(out, "    git tag "+tag+"\n") || !regexp.MustCompile(`git push .* `+tag+`\b`).MatchString(out) {
			t.Errorf("no tag %s in\n%s", tag, out)
		}
	}
	if old := sh(`grep -rE 'github.com/verbsgen/verbsgen\S* v' --include=go.mod --include=go.work . | grep -v v9.8.7 || true`); old != "" {
		t.Error(old)
	}
	text := sh("cat CHANGELOG.md")
	if !strings.Contains(text, "\n## Unreleased\n\n## 9.8.7\n") || strings.Contains(text, "Nothing has been released") {
		t.Error(text[:500])
	}
	if out := sh("git tag; git log --oneline | wc -l"); strings.TrimSpace(out) != "1" {
		t.Errorf("tags or commits: %s", out)
	}
	for _, c := range []struct{ script, says string }{
		{"! .ci/release v9.8.8", "not committed"},
		{"git checkout -q . && ! .ci/release 1.0", "no version"},
		{"git tag spec/v1.0.0 && ! .ci/release v1.0.0", "a tag spec/v1.0.0"},
		{"sed -i '/^- /d' CHANGELOG.md && git commit -qam empty && ! .ci/release v2.0.0", "lists nothing"},
	} {
		if out := sh(c.script); !strings.Contains(out, c.says) {
			t.Errorf("%s: %s, want %s", c.script, out, c.says)
		}
	}
}

// TestIncludes looks for C files of commands that users run by `go run ...@latest` which include a header of another module: it is elsewhere
// in a module cache, and only a clone has it at the path.
func TestIncludes(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{if .CgoFiles}}{{with .Module}}{{$.Dir}} {{.Dir}}{{end}}{{end}}",
		"github.com/verbsgen/verbsgen/conformance/cardreport", "github.com/verbsgen/verbsgen/conformance/card/rdmacard")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	include := regexp.MustCompile(`(?m)^(?://)?\s*#\s*include "(\.\./[^"]*)"`)
	seen := 0
	for line := range strings.Lines(string(out)) {
		dir, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		files, err := filepath.Glob(filepath.Join(dir, "*.[cgh]*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range include.FindAllSubmatch(text, -1) {
				seen++
				if path := filepath.Join(dir, string(m[1])); !strings.HasPrefix(path, module+"/") {
					t.Errorf("%s includes %s, which is in another module: generate a header of its own beside it", file, path)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no file includes another one by its path")
	}
}
