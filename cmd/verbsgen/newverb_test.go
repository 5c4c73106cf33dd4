package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const specReadme = "../../spec/README.md"

// TestNewVerbExample runs the commands of "Add a verb in five steps" in spec/README.md, with the page that stands there, and
// compares what they print with what the text shows. Spaces and numbers may differ: rules are added and machines are not equally
// fast. The last command, go test, is left out.
func TestNewVerbExample(t *testing.T) {
	text, err := os.ReadFile(specReadme)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Add a verb in five steps\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, page, _ := strings.Cut(section, "```yaml\n")
	page, _, ok := strings.Cut(page, "```\n")
	if !ok {
		t.Fatalf("%s shows no page", specReadme)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("try", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("try", "ibv_query_port_speed.yaml"), []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range strings.Split(section, "    $ ")[1:] {
		command, shown, _ := strings.Cut(c, "\n")
		shown, _, _ = strings.Cut(shown, "\n\n")
		if strings.HasPrefix(command, "go ") {
			continue
		}
		got, err := exec.Command("sh", "-c", command).CombinedOutput()
		if err != nil || normalized(string(got)) != normalized(shown) {
			t.Errorf("%s: %v, the command prints\n%s\nand the text shows\n%s", command, err, got, shown)
		}
		ran++
	}
	if ran < 4 {
		t.Errorf("%d commands were run, too few", ran)
	}
}

var (
	number  = regexp.MustCompile(`[0-9]+`)
	counted = regexp.MustCompile(`0 ([a-z]+?)s\b`)
)

// normalized drops what may differ: spaces, numbers, and the plural of what is counted.
func normalized(s string) string {
	s = number.ReplaceAllString(strings.Join(strings.Fields(s), " "), "0")
	return counted.ReplaceAllString(s, "0 $1")
}
