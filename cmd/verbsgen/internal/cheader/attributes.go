package cheader

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// attributes is what attributes say about a layout.
type attributes struct {
	align       int64
	tok, packed *cc.Token // of the last that says something
	bad         *diag.Diag
	quals       string // "const ", "volatile " or both in this order
}

// with joins attributes of one declaration.
func (a attributes) with(b attributes) attributes {
	a.align = max(a.align, b.align)
	if b.tok != nil {
		a.tok = b.tok
	}
	if b.packed != nil {
		a.packed = b.packed
	}
	if a.bad == nil {
		a.bad = b.bad
	}
	if a.quals += b.quals; a.quals == "volatile const " {
		a.quals = "const volatile "
	}
	return a
}

func (l *layouter) alignas(s *cc.AlignmentSpecifier) (a attributes) {
	if s.Case == cc.AlignmentSpecifierType {
		e, _ := l.base(memberParts(s.TypeName.SpecifierQualifierList))
		if s.TypeName.AbstractDeclarator != nil || e.bad != nil {
			e.bad = l.refuse(s.Token, "_Alignas", "the alignment of this type is not known")
		}
		return attributes{align: e.align, tok: &s.Token, bad: e.bad}
	}
	return l.aligned(s.Token, s.ConstantExpression)
}

func (l *layouter) aligned(tok cc.Token, e cc.ExpressionNode) attributes {
	n, ok := integer(e.Value())
	bad := l.constant(e, tok.SrcStr())
	if bad == nil && (!ok || n.bits < 0 || n.bits&(n.bits-1) != 0 || n.bits > 1<<28) {
		bad = l.refuse(tok, tok.SrcStr(), "the alignment cannot be computed")
	}
	return attributes{align: n.bits, tok: &tok, bad: bad}
}

func (l *layouter) attributes(lists ...*cc.AttributeSpecifierList) (a attributes) {
	for _, list := range lists {
		for ; list != nil; list = list.AttributeSpecifierList {
			for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
				if v.AttributeValue != nil {
					a = a.with(l.attribute(v.AttributeValue))
				}
			}
		}
	}
	return a
}

// biggest is the alignment of aligned without a number.
const biggest = 16

func (l *layouter) attribute(v *cc.AttributeValue) attributes {
	tok := v.Token
	switch name := strings.Trim(tok.SrcStr(), "_"); {
	case name == "packed":
		return attributes{tok: &tok, packed: &tok}
	case name == "aligned" && v.Case == cc.AttributeValueIdent:
		return attributes{tok: &tok, align: biggest}
	case name == "aligned" && v.ArgumentExpressionList != nil && v.ArgumentExpressionList.AssignmentExpression != nil:
		return l.aligned(tok, v.ArgumentExpressionList.AssignmentExpression)
	case slices.Contains(harmless, name):
		return attributes{}
	}
	return attributes{tok: &tok, bad: l.refuse(tok, tok.SrcStr(), "verbsgen does not know what this attribute does to the layout")}
}

// harmless are attributes that leave the layout of a type alone.
var harmless = strings.Fields(`access alloc_align alloc_size always_inline artificial assume_aligned availability btf_decl_tag
	btf_type_tag cdecl cold const counted_by counted_by_or_null deprecated designated_init diagnose_if enum_extensibility error
	externally_visible flag_enum format format_arg gnu_inline guarded_by hot leaf malloc may_alias no_randomize_layout noclone noderef
	noinline nonnull nonstring noreturn nothrow null_terminated_string_arg optimize preserve_access_index pt_guarded_by pure
	returns_nonnull sentinel sized_by transparent_union unavailable unused used user visibility warn_if_not_aligned
	warn_unused_result warning weak`)
