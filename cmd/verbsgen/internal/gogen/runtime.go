package gogen

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// RuntimeNames writes the file of a package below runtime/ with the names of the values of its enums, and what some values most often
// come from:
//
//	var wcStatusNames = []string{0: "SUCCESS"}
//
//	var wcStatusLikely = []string{1: "a length does not fit"}
//
//	var sendFlagsNames = []fail.Flag{{Bits: 0x1, Name: "FENCE"}}
func RuntimeNames(pkg *model.Package, runtime string) (output.File, error) {
	of := *pkg
	of.Name = runtime
	e := newEmitter(&of)
	g := e.newFile("names.gen.go")
	for _, t := range pkg.Enums {
		if t.Runtime == runtime {
			g.runtimeNames(t)
		}
	}
	e.render(g)
	files, err := e.finish()
	if err != nil {
		return output.File{}, err
	}
	return files[0], nil
}

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
