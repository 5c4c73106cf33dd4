package cheader

import (
	"strings"

	"modernc.org/cc/v4"
)

// layer is one step of a declarator from the name outwards: "p const" of "*const p". The types of the C parser lose the
// qualifiers of all pointers but the last, so they are read off the declarator.
type layer struct {
	kind  byte // p pointer, a array, f function
	quals string
}

// layers takes a declarator apart; nil without one.
func layers(d *cc.Declarator) []layer {
	if d == nil || d.IsSynthetic() {
		return nil
	}
	return append(directLayers(d.DirectDeclarator), pointerLayers(d.Pointer)...)
}

func directLayers(d *cc.DirectDeclarator) []layer {
	if d == nil {
		return nil
	}
	switch d.Case {
	case cc.DirectDeclaratorIdent:
		return nil
	case cc.DirectDeclaratorDecl:
		return layers(d.Declarator)
	case cc.DirectDeclaratorFuncParam, cc.DirectDeclaratorFuncIdent:
		return append(directLayers(d.DirectDeclarator), layer{kind: 'f'})
	}
	return append(directLayers(d.DirectDeclarator), layer{kind: 'a'})
}

func abstractLayers(d *cc.AbstractDeclarator) []layer {
	if d == nil {
		return nil
	}
	return append(directAbstractLayers(d.DirectAbstractDeclarator), pointerLayers(d.Pointer)...)
}

func directAbstractLayers(d *cc.DirectAbstractDeclarator) []layer {
	if d == nil {
		return nil
	}
	switch d.Case {
	case cc.DirectAbstractDeclaratorDecl:
		return abstractLayers(d.AbstractDeclarator)
	case cc.DirectAbstractDeclaratorFunc:
		return append(directAbstractLayers(d.DirectAbstractDeclarator), layer{kind: 'f'})
	}
	return append(directAbstractLayers(d.DirectAbstractDeclarator), layer{kind: 'a'})
}

// pointerLayers lists stars from the last to the first: the last is the outermost type.
func pointerLayers(p *cc.Pointer) []layer {
	if p == nil {
		return nil
	}
	return append(pointerLayers(p.Pointer), layer{kind: 'p', quals: pointerQuals(p.TypeQualifiers)})
}

func pointerQuals(q *cc.TypeQualifiers) string {
	has := map[cc.TypeQualifierCase]bool{}
	for ; q != nil; q = q.TypeQualifiers {
		if q.TypeQualifier != nil {
			has[q.TypeQualifier.Case] = true
		}
	}
	var list []string
	for _, known := range []struct {
		c    cc.TypeQualifierCase
		text string
	}{{cc.TypeQualifierConst, "const"}, {cc.TypeQualifierVolatile, "volatile"}, {cc.TypeQualifierRestrict, "restrict"}} {
		if has[known.c] {
			list = append(list, known.text)
		}
	}
	return strings.Join(list, " ")
}

// paramLayers are those of a parameter, named or not.
func paramLayers(p *cc.Parameter) []layer {
	if p.AbstractDeclarator != nil {
		return abstractLayers(p.AbstractDeclarator)
	}
	return layers(p.Declarator)
}

// behind are the layers of what the first n lead to.
func behind(list []layer, n int) []layer {
	if len(list) <= n {
		return nil
	}
	return list[n:]
}
