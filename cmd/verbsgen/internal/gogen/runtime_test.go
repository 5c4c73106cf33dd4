package gogen_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/gogen"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

var update = flag.Bool("update", false, "write runtime/gensupport/dpath/names.gen.go")

// TestCheckedIn holds runtime/gensupport/dpath/names.gen.go against the facts of the newest release and the pages.
func TestCheckedIn(t *testing.T) {
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: "verbs"})
	if err != nil {
		t.Fatal(err)
	}
	pkg.FactsHash = cgen.FactsHash(rel)
	f, err := gogen.RuntimeNames(pkg, "dpath")
	if err != nil {
		t.Fatal(err)
	}
	at := "../../../../runtime/gensupport/dpath/" + f.Name
	if *update {
		if err := os.WriteFile(at, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(at); err != nil || !bytes.Equal(old, f.Data) {
		t.Errorf("%s is not current (%v): run make generate", at, err)
	}
}
