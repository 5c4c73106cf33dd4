package cheader

import (
	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

const (
	endless    = "macros and includes expand without end"
	endlessFix = "look for a header that includes itself, or for macros that double each other"
)

// expansion estimates the work of expanding a macro: the nodes of its tree of expansions, and the sum of their depths. The
// parser counts both against its limit, and past it leaves macros without a value in an order that differs from run to run.
type expansion struct {
	nodes, depth int
	open         bool // being computed: a macro that names itself is not expanded again
}

// most keeps the sums within an int.
const most = 1 << 40

// checkExpansions refuses constants whose evaluation comes near the parser's limit. verbs.h needs less than a thousandth.
func (f *facts) checkExpansions(list []*cc.Macro) {
	known := map[string]*expansion{}
	work := 0
	for _, m := range list {
		if m.IsFnLike {
			continue
		}
		e := f.expansion(m, known)
		if work = min(most, work+e.nodes+e.depth); work > expansionLimit/4 {
			f.errorf(diag.HeaderSyntax, m.Position(), m.Name.SrcStr(), endlessFix, endless)
			return
		}
	}
}

func (f *facts) expansion(m *cc.Macro, known map[string]*expansion) *expansion {
	name := m.Name.SrcStr()
	if e, ok := known[name]; ok {
		if e.open {
			return &expansion{}
		}
		return e
	}
	e := &expansion{open: true}
	known[name] = e
	for _, tok := range m.ReplacementList() {
		e.nodes = min(most, e.nodes+1)
		if in := f.ast.Macros[tok.SrcStr()]; in != nil && tok.Ch == rune(cc.IDENTIFIER) {
			sub := f.expansion(in, known)
			e.nodes = min(most, e.nodes+sub.nodes)
			e.depth = min(most, e.depth+sub.nodes+sub.depth)
		}
	}
	e.open = false
	return e
}
