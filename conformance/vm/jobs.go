//go:build linux

package main

import (
	"context"
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

	asked  string // the package as it was asked for
	source string // its folder
	binary string // below the shared folder
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
	jobs, err := findPackages(ctx, o.packages, out)
	if err != nil {
		return nil, err
	}
	if err := buildTests(ctx, jobs, out, o.race, say); err != nil {
		return nil, err
	}
	for _, j := range jobs {
		command := slices.Concat([]string{"/out/" + j.binary, "-test.v=true", "-test.timeout=" + limit.String()}, o.args[j.asked], o.command)
		if err := j.write("/out/jobs/"+filepath.Base(j.dir), command); err != nil {
			return nil, err
		}
		if data := filepath.Join(j.source, "testdata"); isDir(data) {
			if err := os.CopyFS(j.file("testdata"), os.DirFS(data)); err != nil {
				return nil, err
			}
		}
	}
	return jobs, nil
}

// findPackages makes a job of each package.
func findPackages(ctx context.Context, packages []string, out string) ([]*job, error) {
	var jobs []*job
	for i, p := range packages {
		found, err := output(ctx, "", "go", "list", "-f", "{{.ImportPath}} {{.Dir}}", p)
		if err != nil {
			return nil, err
		}
		path, dir, ok := strings.Cut(strings.TrimSpace(found), " ")
		if !ok || strings.Contains(dir, "\n") {
			return nil, fmt.Errorf("-packages %s: not one package", p)
		}
		name := filepath.Base(path)
		jobs = append(jobs, &job{name: name, dir: filepath.Join(out, "jobs", fmt.Sprintf("%02d", i)), path: path, asked: p, source: dir,
			binary: filepath.Join("bin", fmt.Sprintf("%02d-%s.test", i, name))})
	}
	return jobs, nil
}

// buildTests builds the test binaries, those that the go command can tell apart by their names together: it links several at a time.
func buildTests(ctx context.Context, jobs []*job, out string, race bool, say *progress) error {
	var rounds [][]*job
	for _, j := range jobs {
		i := slices.IndexFunc(rounds, func(round []*job) bool {
			return !slices.ContainsFunc(round, func(other *job) bool { return other.name == j.name })
		})
		if i < 0 {
			i, rounds = len(rounds), append(rounds, nil)
		}
		rounds[i] = append(rounds[i], j)
	}
	defer say.clear()
	for _, round := range rounds {
		say.status("building the tests of %d packages", len(round))
		made := filepath.Join(out, "bin", "made")
		build := []string{"test", "-c", "-ldflags=-w", "-o", made + "/"} // without DWARF linking takes half as long
		if race {
			build = append(build, "-race")
		}
		for _, j := range round {
			build = append(build, j.asked)
		}
		if _, err := output(ctx, "", "go", build...); err != nil {
			return err
		}
		for _, j := range round {
			if err := os.Rename(filepath.Join(made, j.name+".test"), filepath.Join(out, j.binary)); err != nil {
				return fmt.Errorf("-packages %s: it has no tests: %w", j.asked, err)
			}
		}
		if err := os.Remove(made); err != nil {
			return err
		}
	}
	return nil
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
