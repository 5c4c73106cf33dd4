package cheader

import (
	"strings"

	"modernc.org/cc/v4"
)

// noteQuals remembers the qualifiers of the members of s, and of the records in it: the types that the parser gives
// members lack those that stand among the specifiers ("const struct x *next").
func (f *facts) noteQuals(s *cc.StructOrUnionSpecifier) {
	for l := s.StructDeclarationList; l != nil; l = l.StructDeclarationList {
		d := l.StructDeclaration
		if d.Case != cc.StructDeclarationDecl {
			continue
		}
		quals := ""
		for q := d.SpecifierQualifierList; q != nil; q = q.SpecifierQualifierList {
			switch q.Case {
			case cc.SpecifierQualifierListTypeQual:
				switch q.TypeQualifier.Case {
				case cc.TypeQualifierConst:
					quals = "const " + quals
				case cc.TypeQualifierVolatile:
					quals += "volatile "
				}
			case cc.SpecifierQualifierListTypeSpec:
				if ts := q.TypeSpecifier; ts.Case == cc.TypeSpecifierStructOrUnion {
					f.noteQuals(ts.StructOrUnionSpecifier)
				}
			}
		}
		if quals == "" {
			continue
		}
		for m := d.StructDeclaratorList; m != nil; m = m.StructDeclaratorList {
			if d := m.StructDeclarator.Declarator; d != nil { // nil: a bit field without a name
				f.quals[d] = quals
			}
		}
	}
}

// qualified puts the qualifiers that were noted for a member before the text of its type; both begin with the base.
func (f *facts) qualified(m *cc.Field, text string) string {
	quals := f.quals[m.Declarator()]
	if strings.HasPrefix(text, quals) {
		return text
	}
	return quals + text
}
