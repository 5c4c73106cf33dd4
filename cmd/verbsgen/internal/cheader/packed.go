package cheader

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// The C parser lays a packed record out as if it were not packed, and says nothing. So records that are packed, and those that hold one,
// are laid out by an arranger.

// packing is what the attributes of a definition say of the layout.
type packing struct {
	packed bool
	align  int64 // of aligned(N), or 0
}

const (
	packedMemberFix = "in a copy of the header, make the member an array of bytes of its size, which is the same layout"
	packFix         = "in a copy of the header, write __attribute__((packed)) behind each record from here instead, " +
		"and aligned(N) beside it where N > 1"
)

// pragma is called by the parser for each #pragma.
func (in *includes) pragma(toks []cc.Token) error {
	for i := range toks {
		if name := toks[i].SrcStr(); name == "pack" {
			in.packs = append(in.packs, toks[i])
		}
	}
	return nil
}

// mentionsPacked reports whether any file that was read holds the word: the records of nearly all headers need no look.
func (in *includes) mentionsPacked() bool {
	for _, data := range in.text {
		if bytes.Contains(data, []byte("packed")) {
			return true
		}
	}
	return false
}

// notePacking remembers the attributes of a definition, and of those inside it. It refuses the attribute at a member.
func (f *facts) notePacking(s *cc.StructOrUnionSpecifier) {
	toks := append(cc.NodeTokens(s.AttributeSpecifierList), cc.NodeTokens(s.AttributeSpecifierList2)...)
	var p packing
	for i, name := range toks {
		switch strings.Trim(name.SrcStr(), "_") {
		case "packed":
			p.packed = true
		case "aligned":
			n, err := strconv.ParseInt(alignment(toks[i+1:]), 0, 64)
			if err != nil {
				f.errorf(diag.HeaderUnsupported, name.Position(), recordName(s), "write the alignment as a number",
					"the alignment of the record cannot be computed")
			}
			p.align = n
		}
	}
	if p != (packing{}) {
		f.packings[recordID(s.Type())] = p
	}
	for l := s.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		beside := slices.Concat(cc.NodeTokens(d.AttributeSpecifierList), cc.NodeTokens(d.StructDeclaratorList))
		for q := d.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
			if q.Case == cc.SpecifierQualifierListTypeSpec && q.TypeSpecifier.Case == cc.TypeSpecifierStructOrUnion {
				f.notePacking(q.TypeSpecifier.StructOrUnionSpecifier)
			}
			beside = append(beside, cc.NodeTokens(q.TypeQualifier)...)
		}
		for i, tok := range beside {
			if strings.Trim(tok.SrcStr(), "_") == "packed" && i > 0 && strings.Contains("(,", beside[i-1].SrcStr()) { // no name of a member
				f.errorf(diag.HeaderUnsupported, tok.Position(), recordName(s), packedMemberFix, "a member is packed")
			}
		}
	}
}

// alignment is the text of N in what follows the word aligned: (N).
func alignment(toks []cc.Token) string {
	if len(toks) < 3 || toks[0].SrcStr() != "(" || toks[2].SrcStr() != ")" {
		return ""
	}
	return toks[1].SrcStr()
}

func recordName(s *cc.StructOrUnionSpecifier) string {
	return strings.TrimSpace(keyword(s.Type()) + " " + s.Token.SrcStr())
}

// recordID names a record by its tag, or by the place of its first field.
func recordID(t cc.Type) string {
	if r, ok := t.(fielder); ok {
		if tag := r.Tag(); tag.SrcStr() != "" {
			return keyword(t) + " " + tag.SrcStr()
		}
	}
	return recordKey(t)
}

// relay gives a record that is packed, or holds a packed one, its layout. The computation must know all else about the record: without
// packing it gives what the C parser found.
func (f *facts) relay(r *api.Record, t fielder) {
	loose, tight := &arranger{facts: f, loose: true}, &arranger{facts: f}
	before, known := loose.arrange(t)
	l, _ := tight.arrange(t)
	if !tight.packed {
		return
	}
	if !known || !sameLayout(before, layout(r)) {
		f.errs.Add(diag.New(diag.HeaderUnsupported, f.in.place(r.Pos.File), r.Pos.Line, r.Pos.Col, r.Tag,
			"it is packed or holds a packed record, and has bit fields or aligned members too: its layout cannot be computed",
			"in a copy of the header, make these members arrays of bytes of their size, which is the same layout"))
		return
	}
	r.Size, r.Align = l.Size, l.Align
	for i := range r.Fields {
		r.Fields[i].Offset, r.Fields[i].Size = l.Offsets[i], l.Sizes[i]
	}
}
