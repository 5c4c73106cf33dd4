package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVendorDocument has docs/mlx5dv.md say of each function of mlx5dv.h whether it is bound, skipped or pending, and how many there are.
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
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `") {
			rows++
		}
	}
	if rows != len(cover.Functions) {
		t.Errorf("%s has %d functions, and the header %d", file, rows, len(cover.Functions))
	}
	counts := map[string]int{}
	for _, f := range cover.Functions {
		counts[f.Status]++
		if row := fmt.Sprintf("\n| `%s` | %s |", f.Name, f.Status); !strings.Contains(string(text), row) {
			t.Errorf("%s has no row of %s, which is %s", file, f.Name, f.Status)
		}
	}
	sum := fmt.Sprintf("Of %d functions %d are bound, %d left out with a reason, and\n%d pending", len(cover.Functions), counts["bound"],
		counts["skipped"], counts["pending"])
	if !strings.Contains(string(text), sum) {
		t.Errorf("%s does not say %q", file, sum)
	}
}
