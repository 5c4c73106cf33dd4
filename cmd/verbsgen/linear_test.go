package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// someDeclarations is the number of parts of the smallest header of TestLinear: it has 6 declarations for each.
const someDeclarations = 10

// partsHeader is a header with n parts, each an enum, an object with its constructor and its end, and a record that two functions take.
func partsHeader(n int) string {
	var b strings.Builder
	b.WriteString("#include <stdint.h>\n")
	for i := range n {
		fmt.Fprintf(&b, `
enum shop_kind%[1]d { SHOP_A%[1]d, SHOP_B%[1]d = 4, SHOP_C%[1]d };
struct shop_item%[1]d;
struct shop_attr%[1]d { uint32_t price; uint32_t sold; enum shop_kind%[1]d kind; };
struct shop_item%[1]d *shop_create_item%[1]d(uint32_t price);
int shop_destroy_item%[1]d(struct shop_item%[1]d *item);
int shop_query_item%[1]d(struct shop_item%[1]d *item, struct shop_attr%[1]d *attr);
int shop_modify_item%[1]d(struct shop_item%[1]d *item, struct shop_attr%[1]d *attr);
`, i)
	}
	return b.String()
}

// partsAllocs returns how many objects generate allocates for a header with n parts, and pages that scaffold drafted.
func partsAllocs(tb testing.TB, n int) float64 {
	tb.Helper()
	dir := tb.TempDir()
	header, pages := filepath.Join(dir, "shop.h"), filepath.Join(dir, "spec")
	if err := os.WriteFile(header, []byte(partsHeader(n)), 0o666); err != nil {
		tb.Fatal(err)
	}
	do := func(args ...string) {
		var out strings.Builder
		if run(tb.Context(), args, &out, &out) != 0 {
			tb.Fatalf("%s: %s", args, &out)
		}
	}
	do("scaffold", "--library", "libshop.so.1", "--header", header, "-o", pages)
	generate := []string{"generate", "--header", header, "--spec", pages, "-o", filepath.Join(dir, "shop")}
	do(generate...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do(generate...)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// growth compares what one declaration more costs in a header of 4 to 16 times the size with what it costs in one of 1 to 4 times: 1 if it
// costs the same. What every run allocates is in neither.
func growth(tb testing.TB) float64 {
	tb.Helper()
	one, four, sixteen := partsAllocs(tb, someDeclarations), partsAllocs(tb, 4*someDeclarations), partsAllocs(tb, 16*someDeclarations)
	tb.Logf("%.0f, %.0f and %.0f allocations for %d, %d and %d parts", one, four, sixteen, someDeclarations, 4*someDeclarations,
		16*someDeclarations)
	return (sixteen - four) / 12 / ((four - one) / 3)
}

// TestLinear asks that generate allocates in proportion to the declarations of a header: time may differ on a busy machine, allocations do
// not.
func TestLinear(t *testing.T) {
	if g := growth(t); g > 1.15 || g < .85 {
		t.Errorf("a declaration of a large header needs %.2f times the allocations of one of a small header", g)
	}
}

// BenchmarkDeclarations reports the same number.
func BenchmarkDeclarations(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured once: run with -benchtime 1x")
	}
	b.ReportMetric(growth(b), "allocs-x-linear")
	b.ReportMetric(0, "ns/op")
}
