package cheader

import (
	"fmt"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
	"modernc.org/token"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// facts fills a release from the syntax tree.
type facts struct {
	p    *parser
	ast  *cc.AST
	in   *includes
	rel  *api.Release
	errs diag.List

	functions map[string]int     // name -> index in rel.Functions
	records   map[string]int     // tag -> index in rel.Records
	tags      map[string]bool    // "struct x", "enum y" that are defined
	layouts   map[string]fielder // tag -> type
	lay       *layouter
	told      map[*diag.Diag]bool // of lay
	renamed   map[string]string   // the header's typedef of a system header's -> that one
	unnamed   map[string]string   // place in a record or enum without a tag -> made-up tag
	mentioned []mention           // tags that were used, in order
	bodies    []body
	anonEnums int
	at        token.Position // of the declaration that is being read
}

// body is an inline function whose way is yet to be read: that needs to know all functions.
type body struct {
	function int // index in rel.Functions
	def      *cc.FunctionDefinition
}

// mention is the first use of a tag that may turn out to be never defined.
type mention struct {
	tag string
	pos token.Position
}

func newFacts(p *parser, ast *cc.AST, in *includes, arch string) *facts {
	own := func(file string) bool {
		return !strings.HasPrefix(file, "<") && !in.stubs[file] && !in.isSystem(file)
	}
	return &facts{
		p: p, ast: ast, in: in, lay: newLayouter(ast, arch, in.place, own), told: map[*diag.Diag]bool{},
		rel: &api.Release{
			Functions: []api.Function{}, Records: []api.Record{}, Enums: []api.Enum{}, Macros: []api.Macro{},
		},
		functions: map[string]int{}, records: map[string]int{}, tags: map[string]bool{}, layouts: map[string]fielder{},
		renamed: map[string]string{}, unnamed: map[string]string{},
	}
}

// read walks the declarations in their order.
func (f *facts) read() {
	for _, tok := range f.in.pragmas {
		f.errorf(diag.HeaderUnsupported, tok.Position(), "#pragma "+tok.SrcStr(), pragmaFix, "records are laid out in another way from here")
	}
	for tu := f.ast.TranslationUnit; tu != nil; tu = tu.TranslationUnit {
		ed := tu.ExternalDeclaration
		f.at = ed.Position()
		f.at.Filename = f.in.place(f.at.Filename)
		switch ed.Case {
		case cc.ExternalDeclarationFuncDef:
			fd := ed.FunctionDefinition
			if f.ours(fd.Declarator.NameTok().Position()) {
				f.specifiers(fd.DeclarationSpecifiers)
				f.function(fd.Declarator, fd)
			}
		case cc.ExternalDeclarationDecl:
			f.declaration(ed.Declaration)
		}
	}
	for _, b := range f.bodies {
		fn := &f.rel.Functions[b.function]
		fn.Dispatch = f.dispatch(fn, b.def)
	}
	f.macros()
	f.incomplete()
	f.plainNames()
}

// plainNames refuses names with letters beyond those of C's own, of which other compilers and Go think otherwise.
func (f *facts) plainNames() {
	refuse := func(name string, pos api.Pos) {
		if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
			f.errs.Add(diag.New(diag.HeaderUnsupported, f.in.place(pos.File), pos.Line, pos.Col, name,
				"the name has letters other than a to z", "give it another name"))
		}
	}
	for _, fn := range f.rel.Functions {
		for _, p := range fn.Params {
			refuse(p.Name, fn.Pos)
		}
	}
	at := api.Positions(f.rel)
	for _, name := range sortedKeys(at) {
		refuse(name[strings.LastIndexByte(name, '.')+1:], at[name]) // of a field without those that it is in
	}
}

// ours reports whether a place lies in the header or in what it includes of its own, not in a stub.
func (f *facts) ours(pos token.Position) bool {
	return pos.IsValid() && !strings.HasPrefix(pos.Filename, "<") && !f.in.stubs[pos.Filename] && !f.in.isSystem(pos.Filename)
}

// foreignFact reports whether a record defined in a stub is a fact all the same: those of the kernel's RDMA headers and
// the addresses of sockets are, as ours hold them by value; others of libc are not.
func foreignFact(pos token.Position) bool {
	return strings.HasPrefix(pos.Filename, "rdma/") || pos.Filename == "sys/socket.h" || pos.Filename == "netinet/in.h"
}

// pos is a place for the facts. Our stubs have no lines that a reader of the facts could look up.
func (f *facts) pos(p token.Position) api.Pos {
	file := p.Filename
	if f.in.stubs[file] {
		return api.Pos{File: file}
	}
	if f.p.opts.As == "" {
		file = f.in.place(file)
	}
	return api.Pos{File: file, Line: p.Line, Col: p.Column}
}

// errorf places an error where the file was read.
func (f *facts) errorf(code diag.Code, p token.Position, subject, fix, format string, args ...any) {
	f.errs.Add(diag.New(code, f.in.place(p.Filename), p.Line, p.Column, subject, fmt.Sprintf(format, args...), fix))
}

func (f *facts) declaration(d *cc.Declaration) {
	if d.Case != cc.DeclarationDecl {
		return
	}
	f.specifiers(d.DeclarationSpecifiers)
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		dec := l.InitDeclarator.Declarator
		if !f.ours(dec.NameTok().Position()) {
			continue
		}
		switch {
		case dec.IsTypename():
			f.typedef(dec, d.DeclarationSpecifiers)
		case dec.Type().Kind() == cc.Function:
			f.function(dec, nil)
			f.labelled(dec, l.InitDeclarator.Asm)
		default:
			f.rel.Variables = append(f.rel.Variables, api.Variable{
				Name: dec.Name(), Type: f.typeText(dec.Type(), layers(dec)), Pos: f.pos(dec.NameTok().Position())})
		}
	}
}

// typedef lists a typedef; a record without a tag is known by the name of its typedef from then on.
func (f *facts) typedef(d *cc.Declarator, ds *cc.DeclarationSpecifiers) {
	if base := f.systemType(ds); base != "" && len(layers(d)) == 0 {
		f.renamed[d.Name()] = base
	} else if r, ok := unnamedRecord(d.Type()); ok {
		tag := keyword(r) + " " + d.Name()
		f.unnamed[recordKey(r)] = tag
		f.record(tag, r, d.NameTok().Position())
	}
	f.rel.Typedefs = append(f.rel.Typedefs, api.Typedef{
		Name: d.Name(), Type: f.typeText(d.Type(), layers(d)), Pos: f.pos(d.NameTok().Position())})
}

// systemType is the typedef of a system header that a declaration begins with, also behind a name of the header's own;
// empty when it begins with something else.
func (f *facts) systemType(ds *cc.DeclarationSpecifiers) string {
	for ; ds != nil; ds = ds.DeclarationSpecifiers {
		if ds.Case != cc.DeclarationSpecifiersTypeSpec || ds.TypeSpecifier.Case != cc.TypeSpecifierTypeName {
			continue
		}
		name := ds.TypeSpecifier.Token.SrcStr()
		if base, ok := f.renamed[name]; ok {
			return base
		}
		for _, n := range f.ast.Scope.Nodes[name] {
			if d, ok := n.(*cc.Declarator); ok && d.IsTypename() && !f.ours(d.NameTok().Position()) {
				return name
			}
		}
	}
	return ""
}

// specifiers takes the records and enums that are defined among the specifiers of a declaration.
func (f *facts) specifiers(ds *cc.DeclarationSpecifiers) {
	for ; ds != nil; ds = ds.DeclarationSpecifiers {
		if ds.Case == cc.DeclarationSpecifiersTypeSpec {
			f.specifier(ds.TypeSpecifier)
		}
	}
}

func (f *facts) specifier(ts *cc.TypeSpecifier) {
	switch ts.Case {
	case cc.TypeSpecifierStructOrUnion:
		s := ts.StructOrUnionSpecifier
		f.recordSpecifier(s)
		if s.Case == cc.StructOrUnionSpecifierTag && s.Type().IsIncomplete() {
			f.mentioned = append(f.mentioned, mention{keyword(s.Type()) + " " + s.Token.SrcStr(), s.Token.Position()})
		}
	case cc.TypeSpecifierEnum:
		// Of the system's, those that the header names are kept in the end.
		if es := ts.EnumSpecifier; es.Case == cc.EnumSpecifierDef && (f.ours(es.Position()) || es.Token2.SrcStr() != "") {
			f.enum(es)
		}
	}
}

func (f *facts) enum(es *cc.EnumSpecifier) {
	t, ok := es.Type().(*cc.EnumType)
	if !ok {
		return
	}
	e := api.Enum{Tag: "enum " + es.Token2.SrcStr(), Pos: f.pos(es.Token2.Position())}
	if es.Token2.SrcStr() == "" {
		e.Tag = f.anonymousEnum(t)
		e.Pos = f.pos(es.Token.Position())
	} else if f.tags[e.Tag] {
		f.errorf(diag.HeaderSyntax, es.Token2.Position(), e.Tag, "the header must be C that a compiler accepts", "redefinition of the enum")
	}
	for _, m := range t.Enumerators() {
		v, ok := integer(m.Value())
		if !ok {
			f.errorf(diag.HeaderSyntax, m.Token.Position(), m.Token.SrcStr(), "give it an integer constant",
				"the value of the enumerator cannot be computed")
		}
		e.Signed = e.Signed || !v.unsigned && v.bits < 0
		e.Enumerators = append(e.Enumerators, api.Enumerator{Name: m.Token.SrcStr(), Value: v.bits, Line: m.Token.Position().Line})
	}
	if f.in.isOwn(es.Position().Filename) {
		f.tell(f.lay.enums[es.Token2.SrcStr()].bad)
	}
	f.tags[e.Tag] = true
	f.rel.Enums = append(f.rel.Enums, e)
}

// intValue is an integer constant: bits, to be read as uint64 when unsigned.
type intValue struct {
	bits     int64
	unsigned bool
}

func integer(v cc.Value) (intValue, bool) {
	switch x := v.(type) {
	case cc.Int64Value:
		return intValue{bits: int64(x)}, true
	case cc.UInt64Value:
		return intValue{bits: int64(x), unsigned: true}, true
	}
	return intValue{}, false
}

// function takes a declaration (fd nil) or a definition; a definition after a declaration completes it.
func (f *facts) function(d *cc.Declarator, fd *cc.FunctionDefinition) {
	ft, ok := d.Type().(*cc.FunctionType)
	if !ok {
		return
	}
	name := d.Name()
	fn := api.Function{Name: name, Kind: api.Exported, Ret: f.typeText(ft.Result(), behind(layers(d), 1)), Params: named(f.params(ft)),
		Variadic: ft.IsVariadic(), Helper: strings.HasPrefix(name, "_") || name == contextHelper, Pos: f.pos(d.NameTok().Position())}
	if fd != nil || d.IsStatic() {
		fn.Kind = api.Inline
	}
	f.byValue(d, ft)
	i, known := f.functions[name]
	switch {
	case !known:
		i = len(f.rel.Functions)
		f.functions[name] = i
		f.rel.Functions = append(f.rel.Functions, fn)
	case fd == nil:
		return
	default:
		f.rel.Functions[i] = fn
	}
	if fd != nil {
		f.bodies = append(f.bodies, body{i, fd})
	}
}

// tell reports why a layout is unknown, once; nil: it is known.
func (f *facts) tell(bad *diag.Diag) {
	if bad != nil && !f.told[bad] {
		f.told[bad] = true
		f.errs.Add(*bad)
	}
}

func typedefName(t cc.Type) string {
	if d := t.Typedef(); d != nil {
		return d.Name()
	}
	return ""
}

// labelled takes the name of a function's symbol, where it is not that of the function.
func (f *facts) labelled(d *cc.Declarator, label *cc.Asm) {
	if label == nil {
		return
	}
	symbol := ""
	for _, tok := range cc.NodeTokens(label) {
		if text, err := strconv.Unquote(tok.SrcStr()); err == nil {
			symbol += text
		}
	}
	fn := &f.rel.Functions[f.functions[d.Name()]]
	if symbol == fn.Name {
		return
	}
	if _, ok := f.functions[symbol]; !ok {
		f.functions[symbol] = len(f.rel.Functions)
		hidden := *fn
		hidden.Name, hidden.Helper = symbol, true
		f.rel.Functions = append(f.rel.Functions, hidden)
		fn = &f.rel.Functions[f.functions[d.Name()]]
	}
	f.calls(fn, symbol)
}

// byValue reports parameters and a result of a type that is never defined: no call could be made.
func (f *facts) byValue(d *cc.Declarator, ft *cc.FunctionType) {
	const fix = "define the struct in the header"
	at := d.NameTok().Position()
	f.tell(f.lay.typedefs[typedefName(ft.Result())].bad)
	for i, q := range ft.Parameters() {
		t := q.Type()
		f.tell(f.lay.typedefs[typedefName(t)].bad)
		if t.Kind() == cc.Void || t.Kind() == cc.Ptr || !t.IsIncomplete() {
			continue
		}
		name, pos := q.Name(), q.Position()
		if name == "" {
			name = fmt.Sprint(i + 1)
		}
		if !pos.IsValid() {
			pos = at
		}
		f.errorf(diag.HeaderIncomplete, pos, d.Name(), fix, "parameter %s is of the incomplete type %s by value", name, f.typeText(t, nil))
	}
	if t := ft.Result(); t.Kind() != cc.Void && t.IsIncomplete() {
		f.errorf(diag.HeaderIncomplete, at, d.Name(), fix, "the result is of the incomplete type %s by value", f.typeText(t, nil))
	}
}

// named names parameters without a name by their number: arg1.
func named(params []api.Param) []api.Param {
	for i := range params {
		if params[i].Name == "" {
			params[i].Name = fmt.Sprintf("arg%d", i+1)
		}
	}
	return params
}

// params are the parameters of a function, without the single void of an empty list.
func (f *facts) params(ft *cc.FunctionType) []api.Param {
	list := []api.Param{}
	for _, q := range ft.Parameters() {
		if t := q.Type(); t.Kind() != cc.Void {
			ls := paramLayers(q)
			list = append(list, api.Param{Name: q.Name(), Type: f.typeText(t, ls), Array: len(ls) > 0 && ls[0].kind == 'a'})
		}
	}
	return list
}

// check refuses a header without declarations.
func (f *facts) check() {
	rel := f.rel
	if len(f.errs) == 0 && len(rel.Functions)+len(rel.Records)+len(rel.Enums)+len(rel.Macros)+len(rel.Typedefs)+len(rel.Variables) == 0 {
		f.errs.Add(diag.New(diag.HeaderNoVerbs, f.p.opts.Header, 1, 1, "header", "declares nothing",
			"name the header of the library, such as infiniband/verbs.h"))
	}
}
