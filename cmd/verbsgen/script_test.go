package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// recordVar names the variable of the environment that says where the command under test notes the codes of its
// diagnostics.
const recordVar = "VERBSGEN_TEST_CODES"

func TestMain(m *testing.M) {
	collectLess()
	testscript.Main(m, map[string]func(){"verbsgen": recordedMain})
}

// recordedMain is main, but for noting the codes of what it tells.
func recordedMain() {
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	os.Exit(recorded(os.Args[1:], os.Stdout, os.Stderr))
}

// recorded is run, but for noting the codes of what is told.
func recorded(args []string, stdout, stderr io.Writer) int {
	code, list := runList(context.Background(), args, stdout, stderr)
	printDiags(stderr, list)
	if at := os.Getenv(recordVar); at != "" && len(list) > 0 {
		if err := note(at, list); err != nil {
			fmt.Fprintln(stderr, "test harness:", err)
			code = 99
		}
	}
	return code
}

// inProcess is held while cmdRun has the working directory and the environment of its script.
var inProcess sync.Mutex

// setsVar finds the variables that scripts set.
var setsVar = regexp.MustCompile(`(?m)^env (\w+)=`)

// namesKey is the key of the names of all variables of a script's environment, among its values.
const namesKey = "names"

// cmdRun runs the command in this process, one script at a time: `run verbsgen ARG...`. A process of its own, by `exec verbsgen`, takes
// half a second more; it is for what depends on one, such as standard input, a terminal and `verbsgen vet`.
func cmdRun(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || args[0] != "verbsgen" {
		ts.Fatalf("usage: run verbsgen ARG...")
	}
	inProcess.Lock()
	defer inProcess.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	dir := ts.MkAbs(".")
	ts.Check(os.Chdir(dir))
	defer func() { ts.Check(os.Chdir(before)) }()
	set := func(name, value string) {
		if value == "" {
			os.Unsetenv(name)
		} else {
			os.Setenv(name, value)
		}
	}
	for _, name := range append(ts.Value(namesKey).([]string), "PWD") {
		value := ts.Getenv(name)
		if name == "PWD" {
			value = dir
		}
		defer set(name, os.Getenv(name)) // one by one: a script that runs a program beside this one looks for it in PATH
		set(name, value)
	}
	if code := recorded(args[1:], ts.Stdout(), ts.Stderr()); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// note appends the codes to a file that several processes write to at once.
func note(at string, list diag.List) error {
	f, err := os.OpenFile(at, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, d := range list {
		fmt.Fprintln(&lines, d.Code)
	}
	_, err = f.WriteString(lines.String())
	return errors.Join(err, f.Close())
}

// unscripted are the codes that no input can bring about, with the test that shows them instead.
var unscripted = map[diag.Code]string{
	diag.Internal: "TestPanicIsAnInternalError",
	diag.PageGo:   "TestCompiles, in internal/generate: checks of pages come before it",
}

// TestScripts runs testdata/script/*.txtar, then looks whether each diagnostic of the command was shown by one.
func TestScripts(t *testing.T) {
	told := filepath.Join(t.TempDir(), "codes")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// The scripts work offline. What their modules need of the module cache is what this project's own packages need:
	// on a fresh machine this is where it gets there. The command modproxy gets what its script needs more.
	if out, err := exec.Command("go", "list", "-deps", "work").CombinedOutput(); err != nil {
		t.Logf("go list -deps: %v\n%s", err, out)
	}
	proxy := newModuleProxy(t, root)
	var cache []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		cache = append(cache, name, goEnv(t, name))
	}
	set := []string{"CC"} // unset in all scripts but those that set it
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range setsVar.FindAllSubmatch(text, -1) {
			set = append(set, string(m[1]))
		}
	}
	t.Run("script", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir:                 filepath.Join(root, "cmd/verbsgen/testdata/script"), // run changes the working directory
			UpdateScripts:       *update,
			RequireExplicitExec: true,
			RequireUniqueNames:  true,
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"tree": cmdTree, "mkbytes": cmdMkbytes,
				"edit": cmdEdit, "from": cmdFrom, "modproxy": proxy.command, "pages": cmdPages, "run": cmdRun},
			Setup: func(e *testscript.Env) error {
				e.Setenv(recordVar, told)
				e.Setenv("REPO", root)
				e.Setenv("NEWEST", api.Newest())
				for i := 0; i < len(cache); i += 2 {
					e.Setenv(cache[i], cache[i+1])
				}
				e.Setenv("GOPROXY", "off")
				e.Setenv("GOSUMDB", "off") // what the cache holds was verified when it came
				// Without paths in what is compiled, the build cache has it from an earlier run, whose folders had other names. The check
				// cgocall of vet wants to read files there: scripts leave it out, and lint makes it for the packages below gen.
				e.Setenv("GOFLAGS", "-mod=mod -trimpath")
				names := slices.Clone(set)
				for _, v := range e.Vars {
					name, _, _ := strings.Cut(v, "=")
					names = append(names, name)
				}
				e.Values[namesKey] = names
				return nil
			},
		})
	})
	if run := flag.Lookup("test.run"); run != nil && strings.Contains(run.Value.String(), "/") {
		t.Log("a part of the scripts ran: not looking at which diagnostics they show")
		return
	}
	if t.Failed() {
		t.Log("a script failed: not looking at which diagnostics they show")
		return
	}
	data, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.Fields(string(data))
	known := codes(t)
	for _, c := range known {
		if _, ok := unscripted[c]; !ok && !slices.Contains(shown, c) {
			t.Errorf("no script in testdata/script shows the diagnostic %s", c)
		}
	}
	for _, c := range slices.Compact(slices.Sorted(slices.Values(shown))) {
		if !slices.Contains(known, c) {
			t.Errorf("the command told a diagnostic with the code %q, which diag does not list", c)
		}
		if why, ok := unscripted[c]; ok {
			t.Errorf("a script shows %s, which only %s should", c, why)
		}
	}
}

// cmdTree compares a folder with an earlier look at it: `tree DIR` notes it, the next `tree DIR` fails when names or
// content changed since.
func cmdTree(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tree DIR")
	}
	now, err := snapshot(ts.MkAbs(args[0]))
	ts.Check(err)
	key := "TREE_" + args[0]
	if before := ts.Getenv(key); before != "" && before != now {
		ts.Fatalf("%s changed: it was\n%s\nand is\n%s", args[0], before, now)
	}
	ts.Setenv(key, now)
}

// snapshot describes all files below a folder in a text.
func snapshot(dir string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(at string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", rel, e.Type())
		if e.Type().IsRegular() {
			data, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", data)
		}
		b.WriteByte('\n')
		return nil
	})
	return b.String(), err
}

// cmdMkbytes makes a file of bytes that a txtar archive cannot hold: `mkbytes FILE GO-STRING`, quoted as in Go.
func cmdMkbytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mkbytes FILE STRING")
	}
	text, err := unquote(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// cmdFrom writes files that another script has: `from SCRIPT FILE...`.
func cmdFrom(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: from SCRIPT FILE...")
	}
	files, err := scriptFiles(ts.Getenv("REPO"), args[0], args[1:]...)
	ts.Check(err)
	for _, f := range files {
		at := ts.MkAbs(f.Name)
		ts.Check(os.MkdirAll(filepath.Dir(at), 0o777))
		ts.Check(os.WriteFile(at, f.Data, 0o666))
	}
}

// scriptFiles are files of a script's archive, in a clone.
func scriptFiles(root, script string, names ...string) ([]txtar.File, error) {
	archive, err := txtar.ParseFile(filepath.Join(root, "cmd/verbsgen/testdata/script", script+".txtar"))
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return !slices.Contains(names, f.Name) })
	if len(files) != len(names) {
		return nil, fmt.Errorf("%s.txtar does not have all of %q", script, names)
	}
	return files, nil
}

// installedVerbs is the header that scripts make others of; `make setup` installs it.
const installedVerbs = "/usr/include/infiniband/verbs.h"

// cmdEdit writes the installed verbs.h with texts replaced, each of which must be there: `edit FILE OLD NEW [OLD NEW]...`.
func cmdEdit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 == 0 {
		ts.Fatalf("usage: edit FILE OLD NEW [OLD NEW]...")
	}
	data, err := os.ReadFile(installedVerbs)
	ts.Check(err)
	text := string(data)
	for i := 1; i < len(args); i += 2 {
		if !strings.Contains(text, args[i]) {
			ts.Fatalf("%s does not hold %q", installedVerbs, args[i])
		}
		text = strings.ReplaceAll(text, args[i], args[i+1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
