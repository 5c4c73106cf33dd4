package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVendorDocument has docs/mlx5dv.md say how many functions of mlx5dv.h are bound, left out and pending, and name only bound ones as
// functions that have not run.
func TestVendorDocument(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "mlx5dv.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out, said strings.Builder
	if code := run(t.Context(), []string{"coverage", "--module", "mlx5dv", "--json"}, &out, &said); code != 0 {
		t.Fatalf("status %d, %s", code, &said)
	}
	var cover struct {
		Functions []struct{ Name, Status string }
	}
	if err := json.Unmarshal([]byte(out.String()), &cover); err != nil {
		t.Fatal(err)
	}
	counts, status := map[string]int{}, map[string]string{}
	for _, f := range cover.Functions {
		counts[f.Status]++
		status[f.Name] = f.Status
	}
	_, list, _ := strings.Cut(string(text), "have not run")
	named := regexp.MustCompile("`(mlx5dv_\\w+)`").FindAllStringSubmatch(list, -1)
	for _, m := range named {
		if status[m[1]] != "bound" {
			t.Errorf("%s says that %s has not run, but it is not bound: %q", file, m[1], status[m[1]])
		}
	}
	if len(named) == 0 {
		t.Errorf("%s names no function that has not run", file)
	}
	sum := fmt.Sprintf("Of %d functions %d are bound, %d left out with a reason, and\n%d pending", len(cover.Functions), counts["bound"],
		counts["skipped"], counts["pending"])
	if !strings.Contains(string(text), sum) {
		t.Errorf("%s does not say %q", file, sum)
	}
}
