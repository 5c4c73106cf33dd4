package cheader

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// macros takes the macros that are constants, those that rename a declaration, and the function-like ones that stand
// before a function of the same name.
func (f *facts) macros() {
	var list []*cc.Macro
	for _, m := range f.ast.Macros {
		if pos := m.Position(); f.ours(pos) {
			list = append(list, m)
		}
	}
	order := f.fileOrder()
	slices.SortFunc(list, func(a, b *cc.Macro) int {
		p, q := a.Position(), b.Position()
		return cmp.Or(order(p.Filename)-order(q.Filename), strings.Compare(p.Filename, q.Filename), p.Line-q.Line, p.Column-q.Column)
	})
	f.checkExpansions(list)
	for _, m := range list {
		if m.IsFnLike {
			f.redirect(m)
		} else {
			f.objectMacro(m)
		}
	}
}

// fileOrder numbers the files by the first declaration in them, so that macros come in the order of the rest; files
// without declarations come last.
func (f *facts) fileOrder() func(file string) int {
	order := map[string]int{}
	for tu := f.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		name := tu.ExternalDeclaration.Position().Filename
		if _, ok := order[name]; !ok {
			order[name] = len(order)
		}
	}
	return func(file string) int {
		if n, ok := order[file]; ok {
			return n
		}
		return len(order)
	}
}

// redirect marks a function that a macro of the same name shadows: users of the header call what the macro names.
func (f *facts) redirect(m *cc.Macro) {
	i, ok := f.functions[m.Name.SrcStr()]
	if !ok {
		return
	}
	fn := &f.rel.Functions[i]
	toks := words(m)
	for _, tok := range toks {
		j, ok := f.functions[tok]
		switch {
		case !isWord(tok[0]):
			continue
		case !ok || i == j:
		case f.rel.Functions[j].Kind == api.Inline:
			fn.Kind, fn.Redirect = api.Redirect, tok
		case slices.Equal(toks, callOf(tok, m.Params)):
			f.calls(fn, tok)
		default:
			f.errorf(diag.HeaderUnsupported, m.Position(), fn.Name,
				"in a copy of the header, remove the macro, or write it as a static inline function",
				"a macro of the same name makes another call of %s", tok)
		}
		return
	}
}

// callOf is the text of a macro that passes its parameters on to a function.
func callOf(function string, params []cc.Token) []string {
	list := []string{function, "("}
	for i, p := range params {
		if i > 0 {
			list = append(list, ",")
		}
		list = append(list, p.SrcStr())
	}
	return append(list, ")")
}

// calls makes a function one that passes its parameters on to the exported function symbol, as an inline function would.
func (f *facts) calls(fn *api.Function, symbol string) {
	fn.Kind = api.Inline
	fn.Dispatch = &api.Dispatch{Way: api.WayExport, Op: symbol, Form: formOf(fn.Ret), Args: []string{}}
	for _, p := range fn.Params {
		fn.Dispatch.Args = append(fn.Dispatch.Args, p.Name)
	}
}

func (f *facts) objectMacro(m *cc.Macro) {
	toks := words(m)
	if len(toks) == 0 {
		return // an include guard
	}
	name, pos := m.Name.SrcStr(), f.pos(m.Position())
	if len(toks) == 1 {
		if kind := f.aliasKind(toks[0]); kind != "" {
			f.rel.Aliases = append(f.rel.Aliases, api.Alias{Name: name, Of: toks[0], Kind: kind, Pos: pos})
			return
		}
	}
	value := f.macroValue(m, toks)
	if f.asksSizeOf(f.lay.odd, m, map[string]bool{}) {
		size, ok := f.lay.sizeOf(toks)
		if !ok && f.in.isOwn(m.Position().Filename) {
			f.errorf(diag.HeaderUnsupported, m.Position(), name, macroFix, "its value depends on the layout of a type, and cannot be computed")
		}
		value = size
	}
	if value != nil {
		f.rel.Macros = append(f.rel.Macros, api.Macro{Name: name, Value: value, Pos: pos})
	}
}

const macroFix = "in a copy of the header, write the number that it is, or only sizeof of one type"

var sizeOfType = regexp.MustCompile(`^(?:\( )*sizeof \( (struct |union )?(\w+)(?: \))+$`)

// sizeOf is the value of a macro that is the size of a type and nothing else.
func (l *layouter) sizeOf(toks []string) (size int64, ok bool) {
	m := sizeOfType.FindStringSubmatch(strings.Join(toks, " "))
	if m == nil {
		return 0, false
	}
	e, ok := l.typedefs[m[2]]
	if m[1] != "" {
		p := l.records[m[1]+m[2]]
		if ok = p != nil; ok {
			e = p.extent
		}
	}
	return e.size, ok && e.bad == nil
}

// asksSizeOf reports whether a macro asks for the size of one of some tags and typedefs.
func (f *facts) asksSizeOf(names map[string]bool, m *cc.Macro, seen map[string]bool) bool {
	asks := false
	for _, word := range words(m) {
		asks = asks || asksSize(word)
		inner := f.ast.Macros[word]
		if asks && names[word] {
			return true
		}
		if inner != nil && !seen[word] {
			seen[word] = true
			if f.asksSizeOf(names, inner, seen) {
				return true
			}
		}
	}
	return false
}

// words is the replacement list without white space.
func words(m *cc.Macro) []string {
	var list []string
	for _, tok := range m.ReplacementList() {
		if s := strings.TrimSpace(tok.SrcStr()); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// aliasKind is what a name stands for: enumerator, struct, union, enum, function; empty for none of them.
func (f *facts) aliasKind(name string) string {
	for _, kind := range []string{"struct", "union", "enum"} {
		if f.tags[kind+" "+name] {
			return kind
		}
	}
	if _, ok := f.functions[name]; ok {
		return "function"
	}
	for _, n := range f.ast.Scope.Nodes[name] {
		if e, ok := n.(*cc.Enumerator); ok && f.ours(e.Position()) {
			return "enumerator"
		}
	}
	return ""
}

// macroValue is the integer that a macro stands for, or its C text when it is a constant of another kind, or nil.
func (f *facts) macroValue(m *cc.Macro, toks []string) any {
	t := m.Type()
	v, isInt := integer(m.Value())
	switch {
	case t == nil || m.Value() == cc.Unknown:
		return nil
	case isInt && cc.IsIntegerType(t):
		if v.unsigned && v.bits < 0 {
			return uint64(v.bits)
		}
		return v.bits
	}
	return cText(toks)
}

// cText joins the tokens of a constant, with spaces where C or the eye needs one.
func cText(toks []string) string {
	var b strings.Builder
	for i, tok := range toks {
		if i > 0 && needsSpace(toks[i-1], tok) {
			b.WriteByte(' ')
		}
		b.WriteString(tok)
	}
	return b.String()
}

func needsSpace(a, b string) bool {
	last, first := a[len(a)-1], b[0]
	return isWord(last) && (isWord(first) || first == '*')
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
