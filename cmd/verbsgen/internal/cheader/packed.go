package cheader

import (
	"bytes"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// The C parser lays a packed record out as if it were not packed, and says nothing. No verbs header has one; where one
// turns up, wrong offsets must not pass for facts.

const packedFix = "remove it from the header: the layout cannot be computed"

// pragma is called by the parser for each #pragma.
func (in *includes) pragma(toks []cc.Token) error {
	for i := range toks {
		if name := toks[i].SrcStr(); name == "pack" {
			in.packs = append(in.packs, toks[i])
		}
	}
	return nil
}

// mentionsPacked tells whether any file that was read holds the word: the records of nearly all headers need no look.
func (in *includes) mentionsPacked() bool {
	for _, data := range in.text {
		if bytes.Contains(data, []byte("packed")) {
			return true
		}
	}
	return false
}

// packed reports the attribute in a definition.
func (f *facts) packed(s *cc.StructOrUnionSpecifier) {
	toks := cc.NodeTokens(s)
	for i := 1; i < len(toks); i++ {
		name, before := toks[i].SrcStr(), toks[i-1].SrcStr()
		if (name == "packed" || name == "__packed__") && (before == "(" || before == ",") {
			f.errorf(diag.HeaderUnsupported, s.Position(), strings.TrimSpace(keyword(s.Type())+" "+s.Token.SrcStr()), packedFix,
				"the record is packed")
			return
		}
	}
}
