package vet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// Loader gives the rules and the model that a generated package was made from.
type Loader func(*Origin) (*explain.Checker, *model.Package, error)

// Analyzers are all analyzers of verbsgen vet.
func Analyzers(load Loader) []*analysis.Analyzer {
	s := &suite{load: load, loaded: map[string]*bindings{}}
	origins := s.origins()
	calls := callsAnalyzer(origins)
	all := []*analysis.Analyzer{reporter("verbsrules", rulesDoc, origins, calls, false),
		reporter("verbshints", hintsDoc, origins, calls, true),
		onFunctions("verbsresults", resultsDoc, origins, unchecked), onFunctions("verbsevents", eventsDoc, origins, events),
		onPackages("verbshandles", handlesDoc, origins, func(w *walker) {
			for fn := range functions(w.pass.Files...) {
				handles(w, fn)
			}
			fields(w)
		}), onFunctions("verbscompletions", completionsDoc, origins, completions), onFunctions("verbsbatches", batchesDoc, origins, batches),
		onFunctions("verbsleaks", leaksDoc, origins, leaks), onFunctions("verbsmemory", memoryDoc, origins, memory)}
	for _, a := range all {
		a.Run = inOrder(a.Run)
	}
	return all
}

// inOrder has an analyzer report by position. It may look at a package in the random order of a map.
func inOrder(run func(*analysis.Pass) (any, error)) func(*analysis.Pass) (any, error) {
	return func(pass *analysis.Pass) (any, error) {
		var found []analysis.Diagnostic
		collecting := *pass
		collecting.Report = func(d analysis.Diagnostic) { found = append(found, d) }
		result, err := run(&collecting)
		slices.SortFunc(found, func(a, b analysis.Diagnostic) int {
			return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Message, b.Message))
		})
		for _, d := range found {
			pass.Report(d)
		}
		return result, err
	}
}

// suite has what the analyzers share in a process.
type suite struct {
	load   Loader
	mu     sync.Mutex
	loaded map[string]*bindings
}

// bindings loads what a generated package was made from, once for each origin.
func (s *suite) bindings(o *Origin) (*bindings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprint(*o)
	if b := s.loaded[key]; b != nil {
		return b, nil
	}
	judge, pkg, err := s.load(o)
	if err != nil {
		return nil, fmt.Errorf("the pages of a package %s: %w", o, err)
	}
	b := newBindings(judge, pkg)
	s.loaded[key] = b
	return b, nil
}

// bindings are the names of a generated package, and the rules behind them.
type bindings struct {
	judge   *explain.Checker
	methods map[string]face // "PD.RegMR"
	records map[string]*model.Record
	objects map[string]*model.Object
	rules   map[string]*model.Rule
	moves   map[string]*move // by C name of the verb
	verbs   map[string]*model.Verb
	posts   []*model.Verb              // that take a chain of requests
	props   map[*model.Object][]string // that rules look at
}

// face is a method of a generated package, and the verb that it calls.
type face struct {
	verb   *model.Verb
	method *model.Method
}

func newBindings(judge *explain.Checker, pkg *model.Package) *bindings {
	b := &bindings{judge: judge, methods: map[string]face{}, records: map[string]*model.Record{}, objects: map[string]*model.Object{},
		rules: map[string]*model.Rule{}, moves: map[string]*move{}, verbs: map[string]*model.Verb{}, props: map[*model.Object][]string{}}
	for _, v := range pkg.Verbs {
		b.verbs[v.C] = v
		if requestParam(v, "SendWR") != nil || requestParam(v, "OpsWR") != nil {
			b.posts = append(b.posts, v)
		}
		for _, m := range v.Methods {
			b.methods[m.Recv+"."+m.Name] = face{v, m}
		}
	}
	for _, r := range pkg.Records {
		if r.From == nil && r.Runtime == "" {
			b.records[r.Go] = r
		}
	}
	for _, o := range pkg.Objects {
		b.objects[o.Go] = o
	}
	for _, r := range pkg.Rules {
		b.rules[r.ID] = r
		b.addMove(r)
		b.addProps(r)
	}
	return b
}
