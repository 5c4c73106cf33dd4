package gogen

import (
	"bytes"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
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
	pkg.Name = "dpath"
	g := newEmitter(pkg).newFile("names.gen.go")
	for _, t := range pkg.Enums {
		if t.Runtime == pkg.Name {
			g.runtimeNames(t)
		}
	}
	data, err := g.render()
	if err != nil {
		t.Fatal(err)
	}
	at := "../../../../runtime/gensupport/dpath/" + g.name
	if *update {
		if err := os.WriteFile(at, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(at); err != nil || !bytes.Equal(old, data) {
		t.Errorf("%s is not current (%v): run make generate", at, err)
	}
}

// runtimeNames writes the names of the values of an enum of a package below runtime/, and what some values most often come from:
//
//	var wcStatusNames = []string{0: "SUCCESS"}
//
//	var wcStatusLikely = []string{1: "a length does not fit"}
//
//	var sendFlagsNames = []fail.Flag{{Bits: 0x1, Name: "FENCE"}}
func (g *goFile) runtimeNames(t *model.Enum) {
	var names, likely []jen.Code
	typ := jen.String()
	for _, m := range t.Members {
		at := func() *jen.Statement { return digits(strconv.FormatInt(m.Value, 10)).Op(":") }
		switch {
		case m.Alias:
		case t.Flags:
			typ = rt("fail", "Flag")
			names = append(names, flagName(enumValue(t, m.Value), m.Short))
		default:
			names = append(names, at().Lit(m.Short))
		}
		if m.Likely != "" {
			likely = append(likely, at().Add(longText(m.Likely)))
		}
	}
	name := model.Unexported(t.Go)
	g.decl("// "+name+"Names are the names of "+t.C+", without the prefix.",
		jen.Var().Id(name+"Names").Op("=").Index().Add(typ).Add(lines(names...)))
	if likely != nil {
		g.decl("// "+name+"Likely says what some of these most often come from.",
			jen.Var().Id(name+"Likely").Op("=").Index().String().Add(lines(likely...)))
	}
}

// longText is a text as the sum of pieces that fit into lines.
func longText(text string) *jen.Statement {
	const most = 110
	if len(text) <= most {
		return jen.Lit(text)
	}
	i := strings.LastIndex(text[:most], " ") + 1
	if i == 0 {
		i = most
	}
	return jen.Lit(text[:i]).Op("+").Line().Add(longText(text[i:]))
}
