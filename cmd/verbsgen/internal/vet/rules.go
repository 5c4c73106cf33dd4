package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// finding is a rule that a call breaks, whatever is not known of the call.
type finding struct {
	rule *model.Rule
	diag analysis.Diagnostic
}

// callsAnalyzer judges each call of a generated method, for the analyzers that report.
func callsAnalyzer(origins *analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "verbscalls",
		Doc:        "judge calls of generated methods by the rules of their pages",
		Requires:   []*analysis.Analyzer{origins},
		ResultType: reflect.TypeFor[[]finding](),
		Run: func(pass *analysis.Pass) (any, error) {
			var out []finding
			from := pass.ResultOf[origins].(*sources).bindings
			if len(from) == 0 {
				return out, nil
			}
			for _, file := range pass.Files {
				w := &walker{pass: pass, from: from}
				w.found = func(call *ast.CallExpr, c *caseOf) {
					for _, f := range w.judge(file, call, c) { // a request may be posted several times
						if !slices.ContainsFunc(out, func(x finding) bool { return x.rule == f.rule && x.diag.Pos == f.diag.Pos }) {
							out = append(out, f)
						}
					}
				}
				for fn := range functions(file) {
					w.function(fn.Body)
				}
			}
			return out, nil
		},
	}
}

const rulesDoc = `report calls that no device is known to accept

A call of a method that verbsgen generated is held against the rules of its man page, as the method itself does when it runs. Constants,
variables of the function, structs and builders are followed; what is not known breaks no rule. The message names the rule.`

const hintsDoc = `report calls that only some devices or kernels accept

Like verbsrules, for the rules that are hints: some providers or kernels refuse the call, or do not do what the man page promises.`

// reporter reports the findings of rules or of lints.
func reporter(name, doc string, origins, calls *analysis.Analyzer, lints bool) *analysis.Analyzer {
	return &analysis.Analyzer{Name: name, Doc: doc, Requires: []*analysis.Analyzer{origins, calls},
		Run: func(pass *analysis.Pass) (any, error) {
			for _, f := range pass.ResultOf[calls].([]finding) {
				if f.rule.Lint == lints {
					reportIn(pass, f.diag)
				}
			}
			pass.ResultOf[origins].(*sources).tell(pass)
			return nil, nil
		}}
}

// ignore begins a comment, on the line of a report or the one above, with the rule that is broken there on purpose and a reason.
const ignore = "//verbsgen:ignore "

// report reports a finding at a node.
func (w *walker) report(at ast.Node, category, format string, args ...any) {
	reportIn(w.pass, analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Category: category, Message: fmt.Sprintf(format, args...)})
}

// reportIn reports unless a comment says that it is on purpose.
func reportIn(pass *analysis.Pass, d analysis.Diagnostic) {
	if !ignored(pass, d) {
		pass.Report(d)
	}
}

// ignored reports whether a comment says that a rule is broken on purpose.
func ignored(pass *analysis.Pass, d analysis.Diagnostic) bool {
	line := pass.Fset.Position(d.Pos).Line
	for _, f := range pass.Files {
		if d.Pos < f.FileStart || d.Pos > f.FileEnd {
			continue
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				at := pass.Fset.Position(c.Pos()).Line
				words := strings.Fields(strings.TrimPrefix(c.Text, ignore))
				if strings.HasPrefix(c.Text, ignore) && (at == line || at == line-1) && len(words) > 1 && words[0] == d.Category {
					return true
				}
			}
		}
	}
	return false
}

// judge returns the rules that a call breaks.
func (w *walker) judge(file *ast.File, call *ast.CallExpr, c *caseOf) (out []finding) {
	for _, broken := range c.broken() {
		rule := c.b.rules[broken.Rule.ID]
		if rule == nil {
			continue
		}
		at := w.place(call, c, broken.Place)
		if c.request != nil {
			broken.Place = strings.Replace(broken.Place, "[0]", fmt.Sprintf("[%d]", c.number), 1)
		}
		d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Category: rule.ID, Message: message(rule, broken)}
		if fix := w.fix(file, c, rule, broken, at); fix != nil {
			d.SuggestedFixes = []analysis.SuggestedFix{*fix}
		}
		out = append(out, finding{rule, d})
	}
	return out
}

// message is that of the error which the call would return.
func message(r *model.Rule, b explain.Broken) string {
	text := r.Verb
	if b.Place != "" {
		text += ": " + strings.TrimSpace(b.Place+" "+b.Value)
	}
	return fmt.Sprintf("%s: %s; %s [%s]", text, r.Statement, r.Fix, r.ID)
}

// place is where the program gives the value at a place of the call: the argument, the field of a literal, the argument of a builder's
// method, or else the call.
func (w *walker) place(call *ast.CallExpr, c *caseOf, path string) ast.Node {
	for _, p := range c.paths {
		if rest, ok := strings.CutPrefix(path, p[0]); ok {
			if x := c.request.nodeOf(strings.TrimPrefix(p[1]+rest, ".")); x != nil {
				return x
			}
		}
	}
	param, rest, _ := strings.Cut(path, ".")
	at, given := c.given[param]
	if !given {
		return call
	}
	if r, ok := c.values[param].(*record); ok {
		if x := r.nodeOf(rest); x != nil {
			return x
		}
	}
	return at
}

// nodeOf is where a record got the value of a C field; nil where nobody set it.
func (r *record) nodeOf(path string) ast.Node {
	for f, at := range r.at {
		if f.C == path {
			return at
		}
		if rest, ok := strings.CutPrefix(path, f.C+"."); ok {
			if inner, ok := r.fields[f].(*record); ok {
				if x := inner.nodeOf(rest); x != nil {
					return x
				}
			}
			return at
		}
	}
	return nil
}

// fix adds the flags that a rule asks for to the expression which lacks them; nil for another rule.
func (w *walker) fix(file *ast.File, c *caseOf, r *model.Rule, b explain.Broken, at ast.Node) *analysis.SuggestedFix {
	e, ok := at.(ast.Expr)
	if !ok || len(b.Rule.Need) == 0 || r.Subject == nil {
		return nil
	}
	enum, have := enumAt(r), new(big.Int)
	if enum == nil {
		return nil
	}
	if i, ok := w.pass.TypesInfo.Types[e]; ok && i.Value != nil {
		have, _ = fromConstant(i.Value).(*big.Int)
	}
	_, name := w.named(w.pass.TypesInfo.TypeOf(e))
	if have == nil || name != enum.Go {
		return nil
	}
	text := ""
	for _, need := range b.Rule.Need {
		for _, m := range enum.Members {
			if m.C == need && !m.Alias && have.Uint64()&uint64(m.Value) != uint64(m.Value) {
				text += "|" + w.qualifier(file, e) + m.Go
			}
		}
	}
	if text == "" {
		return nil
	}
	if have.Sign() == 0 && w.pass.TypesInfo.Types[e].Value != nil {
		return &analysis.SuggestedFix{Message: "write " + text[1:],
			TextEdits: []analysis.TextEdit{{Pos: e.Pos(), End: e.End(), NewText: []byte(text[1:])}}}
	}
	return &analysis.SuggestedFix{Message: "add " + text[1:],
		TextEdits: []analysis.TextEdit{{Pos: e.End(), End: e.End(), NewText: []byte(text)}}}
}

// enumAt is the type of the flags that a rule is about.
func enumAt(r *model.Rule) *model.Enum {
	if r.Subject.Field != nil {
		return r.Subject.Field.Enum
	}
	if r.Subject.Param != nil {
		return r.Subject.Param.Enum
	}
	return nil
}

// qualifier is the name of the package of an expression's type, with a dot, as a file writes it.
func (w *walker) qualifier(file *ast.File, e ast.Expr) string {
	n, ok := types.Unalias(w.pass.TypesInfo.TypeOf(e)).(*types.Named)
	if !ok || n.Obj().Pkg() == w.pass.Pkg {
		return ""
	}
	for _, spec := range file.Imports {
		if as := w.pass.TypesInfo.PkgNameOf(spec); as != nil && as.Imported() == n.Obj().Pkg() {
			if as.Name() == "." {
				return ""
			}
			return as.Name() + "."
		}
	}
	return n.Obj().Pkg().Name() + "."
}
