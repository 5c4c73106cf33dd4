package spec

import "testing"

// BenchmarkEmbedded reads all of the project's own pages.
func BenchmarkEmbedded(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Embedded(""); err != nil {
			b.Fatal(err)
		}
	}
}
