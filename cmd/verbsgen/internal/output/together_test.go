package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// writerVar names the variable of the environment that makes the test binary write to a folder until it is killed.
const writerVar = "VERBSGEN_TEST_WRITE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVar); dir != "" {
		for i := 0; ; i++ {
			if _, err := Write(dir, version(i%2)); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// version makes the files of one of several versions of a package, each with a file that the others lack.
func version(n int) []File {
	files := []File{gen(fmt.Sprintf("only%d.gen.go", n), "package p")}
	for i := range 40 {
		files = append(files, gen(fmt.Sprintf("f%02d.gen.go", i), fmt.Sprintf("package p\n\nconst c%02d = %d", i, n)))
	}
	return files
}

// texts returns files as tree does.
func texts(files []File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Name] = string(f.Data)
	}
	return m
}

// oneOf fails unless a folder is wholly of one version, and nothing else is in it.
func oneOf(t *testing.T, dir string, versions int) {
	t.Helper()
	got := fmt.Sprint(tree(t, dir))
	for n := range versions {
		if got == fmt.Sprint(texts(version(n))) {
			return
		}
	}
	t.Errorf("the folder is of no one version: %.300s", got)
}

// TestWritersTogether lets several runs write different packages to one folder at once, which none of them made.
func TestWritersTogether(t *testing.T) {
	const writers = 4
	for range 4 {
		dir := filepath.Join(t.TempDir(), "a", "b")
		var wg sync.WaitGroup
		for n := range writers {
			wg.Go(func() {
				if _, err := Write(dir, version(n)); err != nil {
					t.Error(err)
				}
				if r, err := Check(dir, version(n)); err != nil || len(r.Stale) != 0 && len(r.Stale) != 42 {
					t.Errorf("Check of version %d: %v, %d stale: %.300v", n, err, len(r.Stale), r.Stale)
				}
			})
		}
		wg.Wait()
		oneOf(t, dir, writers)
	}
}

// TestKilled kills a process that writes, again and again, some times just as it replaces files. What it leaves is wholly
// of one version or does not compile, and the next run mends it.
func TestKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "p")
	guard := filepath.Join(dir, unfinished)
	mixed := 0
	for round := range 12 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerVar+"="+dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			time.Sleep(time.Duration(round) * time.Millisecond)
		} else {
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
				if _, err := os.Lstat(guard); err == nil {
					break
				}
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("the writer ended by itself: %v\n%s", err, out.Bytes())
		}
		mixed += left(t, dir)
		if _, err := Write(dir, version(2)); err != nil {
			t.Fatal(err)
		}
		same(t, tree(t, dir), texts(version(2)))
	}
	t.Logf("%d of 12 left a folder that does not compile", mixed)
}

// left looks at a folder that a killed run leaves: 1 for one that does not compile.
func left(t *testing.T, dir string) int {
	t.Helper()
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return 0 // killed before it began
	}
	got := tree(t, dir)
	text, guarded := got[unfinished]
	if guarded {
		if text != string(unfinishedText("p")) {
			t.Errorf("%s is %q", unfinished, text)
		}
		r, err := Check(dir, version(2))
		if err != nil || !strings.Contains(r.Stale.Error(), unfinished+": output: a run of generate was cut off") {
			t.Errorf("Check of a mixture: %v, %v", err, r.Stale)
		}
		return 1
	}
	delete(got, staging)
	if len(got) == 0 {
		return 0
	}
	for n := range 3 {
		if fmt.Sprint(got) == fmt.Sprint(texts(version(n))) {
			return 0
		}
	}
	t.Errorf("a mixture that compiles: %.300v", got)
	return 0
}

// TestLockHeld waits for a run that does not end, but not for ever.
func TestLockHeld(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	patience := lockPatience
	lockPatience = 0
	defer func() { lockPatience = patience }()
	_, err = Write(dir, version(0))
	refused(t, err, diag.OutputWrite, "another run has been writing here")
	_, err = Check(dir, version(0))
	refused(t, err, diag.OutputWrite, "another run has been writing here")
	unlock()
	if _, err := Write(dir, version(0)); err != nil {
		t.Error(err)
	}
	oneOf(t, dir, 1)
}

// TestMend takes up what killed runs leave: new files beside the old ones, and a mixture.
func TestMend(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, texts(version(1)))
	put(t, dir, map[string]string{unfinished: string(unfinishedText("p")), "f01.gen.go": Banner + "\nother\n"})
	if err := os.Mkdir(filepath.Join(dir, staging), 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, staging), map[string]string{"half": "// Code gen"})
	r, err := Check(dir, version(1))
	if err != nil || len(r.Stale) != 3 {
		t.Errorf("Check: %v, %v", err, r.Stale)
	}
	if _, err := Write(dir, version(1)); err != nil {
		t.Fatal(err)
	}
	oneOf(t, dir, 2)
	put(t, dir, map[string]string{unfinished: "package hand\n", staging: "a file"})
	before := tree(t, dir)
	_, err = Write(dir, version(0))
	refused(t, err, diag.OutputForeign, unfinished, staging)
	same(t, tree(t, dir), before)
}
