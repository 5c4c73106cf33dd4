package cheader

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

//go:embed stubs/predefined.h
var predefined string

// Options says what to read.
type Options struct {
	Header  string   // the file
	Include []string // folders of -I, searched in order
	// As is the header's name as included ("infiniband/verbs.h"). When set, the positions of the facts carry names as
	// included; when empty, the paths of the files that were read. Errors always carry paths.
	As string
	// Own reports whether a file belongs to the header's library, near whether it lies in the folder of the header; nil: those do.
	Own func(file string, near bool) bool
	// Note is told what could not be compared, when the layouts are to be held against those of the C compilers at hand; nil: they are not.
	Note func(string)

	system *system // of a compiler, where the stubs do not do
}

// expansionLimit bounds the work of the preprocessor, in tokens, so that macros that double each other, or a header that
// includes itself, come to an end within a second. verbs.h needs less than 50,000.
const expansionLimit = 1_000_000

// Parse reads the facts of a header on linux/amd64, and where linux/arm64 lays a record out differently. The error is
// a [diag.List] with everything that is wrong; there is a result or an error, never both.
func Parse(opts Options) (rel *api.Release, err error) {
	p := &parser{opts: opts, name: cmp.Or(opts.As, filepath.Base(opts.Header)), reading: &facts{}}
	defer func() {
		if r := recover(); r != nil {
			at := p.reading.at
			rel, err = nil, diag.One(diag.New(diag.HeaderUnsupported, cmp.Or(at.Filename, opts.Header), at.Line, at.Column, "declaration",
				fmt.Sprint("no facts can be read off it: ", r), "take it out, or report it with the header"))
		}
	}()
	if list := p.checkHeader(); len(list) > 0 {
		return nil, list.Err()
	}
	f, list := p.facts()
	if f == nil || slices.ContainsFunc(list, lacking) {
		f, list = p.withSystem(f, list)
	}
	if f == nil {
		return nil, list.Err()
	}
	if p.opts.system != nil && opts.Note != nil {
		opts.Note(opts.Header + " was read with " + p.opts.system.String())
	}
	if len(f.errs) == 0 {
		f.errs = append(f.errs, f.addARM64()...)
	}
	f.check()
	if len(f.errs) > 0 {
		return nil, f.errs.Err()
	}
	own := f.in.isOwn
	if opts.Own != nil {
		own = func(file string) bool { return opts.Own(file, f.in.isOwn(file)) }
	}
	rel = api.Own(f.rel, own)
	if opts.Note != nil {
		if list := f.compareLayouts(rel, opts.Note); len(list) > 0 {
			return nil, list.Err()
		}
	}
	return rel, nil
}

// facts reads the facts for amd64. They are nil for a header that does not parse.
func (p *parser) facts() (*facts, diag.List) {
	ast, in, list := p.translate(amd64)
	if len(list) > 0 {
		return nil, list
	}
	p.reading = newFacts(p, ast, in, amd64)
	p.reading.read()
	return p.reading, p.reading.errs
}

// lacking reports whether an error is about what a header lacks of others.
func lacking(d diag.Diag) bool {
	return d.Code == diag.HeaderInclude || d.Code == diag.HeaderIncomplete
}

// withSystem reads a header that needs more than the stubs have with the headers of -I and of a compiler in their place. Facts do not
// depend on it: else the header is refused, with the errors that it had.
func (p *parser) withSystem(f *facts, list diag.List) (*facts, diag.List) {
	p.opts.system = systemOf(amd64)
	there, errs := p.facts()
	if len(errs) == 0 || slices.ContainsFunc(list, lacking) && !slices.ContainsFunc(errs, lacking) {
		return there, errs
	}
	p.opts.system = nil
	return f, list
}

// A declaration of our own follows the header: at an end of file behind a star the parser would look for qualifiers
// forever. An error in it means that the header ends too early.
const (
	endName = "<end>"
	endText = "extern int vg_end_of_header;\n"
)

type parser struct {
	opts    Options
	name    string // of the header as included
	reading *facts
}

// endlessWork is what is said of a header that the C parser reads for ever.
const endlessWork = "the C parser has not come to an end"

// patience is how long the C parser may take for one architecture. verbs.h takes a twentieth of a second.
var patience = 30 * time.Second

// translate parses and type-checks the header for one architecture. A panic of the C parser, which odd input can
// bring about, becomes an error; so does a text that it reads for ever, whose goroutine is left to run.
func (p *parser) translate(arch string) (*cc.AST, *includes, diag.List) {
	ast, in, list := p.translateCut(arch, nil)
	if len(list) > 0 {
		list = p.locate(arch, list)
	}
	return ast, in, list
}

// translateCut is translate for files some of which are cut.
func (p *parser) translateCut(arch string, limits map[string]cut) (*cc.AST, *includes, diag.List) {
	type result struct {
		ast  *cc.AST
		in   *includes
		errs diag.List
	}
	done := make(chan result, 1)
	go func() {
		in := newIncludes(p.opts, p.name)
		in.limits = limits
		defer func() {
			if r := recover(); r != nil {
				done <- result{errs: diag.List{p.gaveUp(in, r, firstFrame(debug.Stack()))}}
			}
		}()
		ast, err := p.run(arch, in)
		if err != nil {
			done <- result{errs: p.explain(err, arch, in)}
			return
		}
		done <- result{ast: ast, in: in}
	}()
	select {
	case r := <-done:
		return r.ast, r.in, r.errs
	case <-time.After(patience):
		return nil, nil, diag.List{diag.New(diag.HeaderSyntax, p.opts.Header, 0, 0, "header", fmt.Sprint(endlessWork, " in ", patience),
			"look at what the header holds beside plain declarations")}
	}
}

// gaveUp tells of a panic of the C parser.
func (p *parser) gaveUp(in *includes, reason any, where string) diag.Diag {
	d := diag.New(diag.HeaderSyntax, p.opts.Header, 0, 0, "header", fmt.Sprintf("the C parser gave up: %v (%s)", reason, where),
		"look at what the header holds beside plain declarations")
	if strings.Contains(where, "includeArg") { // an include after the limit of expansion
		return p.endless(in, d)
	}
	return d
}

// run preprocesses first: an include that is missing ends the text where it stands, and behind a star the parser does not
// survive that, see endText.
func (p *parser) run(arch string, in *includes) (*cc.AST, error) {
	cfg, sources, err := p.config(arch, in)
	if err != nil {
		return nil, err
	}
	if err := cc.Preprocess(cfg, sources, io.Discard); err != nil {
		return nil, err
	}
	if cfg, sources, err = p.config(arch, in); err != nil {
		return nil, err
	}
	in.pragmas = nil
	return cc.Translate(cfg, sources)
}

// config sets the C parser up for one architecture.
func (p *parser) config(arch string, in *includes) (*cc.Config, []cc.Source, error) {
	abi, err := cc.NewABI("linux", arch)
	if err != nil {
		return nil, nil, err
	}
	machine := "#define __x86_64__ 1\n"
	if arch == arm64 {
		machine = "#define __aarch64__ 1\n"
	}
	cfg := &cc.Config{
		ABI:             abi,
		FS:              in,
		FSOnly:          true,
		IncludePaths:    []string{"", "."},
		SysIncludePaths: []string{"."},
		EvalAllMacros:   arch == amd64,
		Header:          true,
		UnsignedEnums:   true,
		ExpansionLimit:  expansionLimit,
		DefaultSizeT:    cc.ULong,
		DefaultPtrdiffT: cc.Long,
		PragmaHandler:   in.pragma,
		DefaultWcharT:   cc.Int,
	}
	if p.opts.system != nil {
		machine += p.opts.system.macros
	}
	return cfg, []cc.Source{{Name: "<predefined>", Value: machine + predefined}, {Name: p.name}, {Name: endName, Value: endText}}, nil
}
