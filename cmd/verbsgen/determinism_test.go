package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOutputIsTheSameEverywhere generates in different folders, languages, time zones and home folders, from the
// stored facts, and from one header under two paths; every byte must be the same.
func TestOutputIsTheSameEverywhere(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "verbsgen") // by this name the test binary is the command: see TestMain
	if err := os.Symlink(exe, command); err != nil {
		t.Fatal(err)
	}
	files, err := scriptFiles(filepath.Join("..", ".."), "pump", "pump.h", "spec/pump_start.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var first [2]map[string]string
	for i, env := range [][]string{
		{"LANG=C", "TZ=UTC", "GOMAXPROCS=1"},
		{"LANG=de_DE.UTF-8", "LC_ALL=de_DE.UTF-8", "TZ=Asia/Kathmandu", "HOME=/dev/null/home", "TMPDIR=" + t.TempDir()},
		{"LC_ALL=tr_TR.UTF-8", "TZ=America/St_Johns", "GOMAXPROCS=8", "USER=somebody", "HOSTNAME=elsewhere", "SOURCE_DATE_EPOCH=1"},
	} {
		dir := filepath.Join(t.TempDir(), "some", "où", string(rune('a'+i)))
		for _, f := range files {
			writeFile(t, filepath.Join(dir, f.Name), f.Data)
		}
		for j, args := range [][]string{
			{"generate", "-o", "out0"},
			{"generate", "--header", filepath.Join(dir, "pump.h"), "--spec", "spec", "--pkg", "pump", "-o", "out1"},
		} {
			cmd := exec.Command(command, args...)
			cmd.Dir, cmd.Env = dir, append([]string{"PATH=" + os.Getenv("PATH")}, env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			got := readFolder(t, filepath.Join(dir, args[len(args)-1]))
			if i == 0 {
				first[j] = got
				continue
			}
			compareFolders(t, args[0], first[j], got)
		}
	}
	if len(first[0]) < 10 || len(first[1]) < 10 {
		t.Errorf("only %d and %d files were compared", len(first[0]), len(first[1]))
	}
}

// readFolder maps the names of a folder's files to their content.
func readFolder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func compareFolders(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%s: %d files, then %d", what, len(a), len(b))
	}
	for name, data := range a {
		if b[name] != data {
			t.Errorf("%s: %s differs from one environment to the next", what, name)
		}
	}
}
