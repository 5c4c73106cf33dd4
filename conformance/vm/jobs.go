//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// job is one command in the guest: a folder of its own in the shared one.
type job struct {
	name string // for people: the package or the command
	dir  string // on this machine
	path string // import path of a test binary's package, or empty
}

func (j *job) file(name string) string { return filepath.Join(j.dir, name) }

// status returns the exit status once the job has ended.
func (j *job) status() (int, bool) {
	text, err := os.ReadFile(j.file("status"))
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}

// running returns the test that a test binary is at.
func (j *job) running() string {
	text, err := os.ReadFile(j.file("output"))
	if err != nil {
		return ""
	}
	at := strings.LastIndex(string(text), "=== RUN ")
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(text[at+len("=== RUN "):]), "\n")
	return strings.TrimSpace(line)
}

// emptyFolder returns the absolute path of a folder that holds nothing, or only what an earlier run left, which a file
// in it tells.
func emptyFolder(asked string) (string, error) {
	dir, err := filepath.Abs(asked)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, ".verbsgen-vm")
	if _, err := os.Stat(mark); len(entries) > 0 && err != nil {
		return "", fmt.Errorf("-out %s: the folder holds other files; name an empty one", dir)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return "", err
		}
	}
	return dir, os.WriteFile(mark, nil, 0o644)
}

// makeJobs builds the test binaries, or takes the command.
func makeJobs(ctx context.Context, o *options, out string, say *progress) ([]*job, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if len(o.packages) == 0 {
		j := &job{name: filepath.Base(o.command[0]), dir: filepath.Join(out, "jobs", "00")}
		if o.root != "/" {
			here = "/out"
		}
		return []*job{j}, j.write(here, o.command)
	}
	// a test that hangs is to end before the guest does, so that it tells where
	limit := max(o.limit-30*time.Second, o.limit/2)
	var jobs []*job
	for i, p := range o.packages {
		say.status("building %s", p)
		j := &job{dir: filepath.Join(out, "jobs", fmt.Sprintf("%02d", i))}
		found, err := output(ctx, "", "go", "list", "-f", "{{.ImportPath}} {{.Dir}}", p)
		if err != nil {
			return nil, err
		}
		path, dir, ok := strings.Cut(strings.TrimSpace(found), " ")
		if !ok || strings.Contains(dir, "\n") {
			return nil, fmt.Errorf("-packages %s: not one package", p)
		}
		j.path, j.name = path, filepath.Base(path)
		binary := filepath.Join("bin", fmt.Sprintf("%02d-%s.test", i, j.name))
		build := []string{"test", "-c", "-o", filepath.Join(out, binary)}
		if o.race {
			build = append(build, "-race")
		}
		if _, err := output(ctx, "", "go", append(build, p)...); err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(out, binary)); err != nil {
			return nil, fmt.Errorf("-packages %s: %w", p, errors.New("it has no tests"))
		}
		command := append([]string{"/out/" + binary, "-test.v=true", "-test.timeout=" + limit.String()}, slices.Concat(o.args[p], o.command)...)
		if err := j.write("/out/jobs/"+filepath.Base(j.dir), command); err != nil {
			return nil, err
		}
		if data := filepath.Join(dir, "testdata"); isDir(data) {
			if err := os.CopyFS(j.file("testdata"), os.DirFS(data)); err != nil {
				return nil, err
			}
		}
		jobs = append(jobs, j)
	}
	say.clear()
	return jobs, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// write makes the job's folder and the script in it.
func (j *job) write(cwd string, command []string) error {
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("cd " + quote(cwd) + " && exec")
	for _, a := range command {
		b.WriteString(" " + quote(a))
	}
	b.WriteString("\n")
	return os.WriteFile(j.file("run"), []byte(b.String()), 0o644)
}

// quote makes one word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
