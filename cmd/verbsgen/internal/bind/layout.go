package bind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/api"
)

// This file says which Go type has the layout of a C type on linux/amd64 and linux/arm64, and why a C type has none.

// scalars gives the Go type with the layout of a C scalar.
var scalars = map[string]string{
	"char": "byte", "signed char": "int8", "unsigned char": "uint8", "int": "int32", "unsigned int": "uint32", "unsigned": "uint32",
	"long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"size_t": "uint64", "ssize_t": "int64", "uintptr_t": "uintptr",
	"__u8": "uint8", "__u16": "uint16", "__u32": "uint32", "__u64": "uint64", "__aligned_u64": "uint64",
	"short": "int16", "unsigned short": "uint16", "__s8": "int8", "__s16": "int16", "__s32": "int32", "__s64": "int64",
	"socklen_t": "uint32", "off_t": "int64", "_Bool": "uint8", "__be16": "uint16", "__be32": "uint32", "__be64": "uint64",
}

// scalar is the Go type with the layout of a C scalar; empty for another type.
func scalar(ctype string) string { return scalars[ctype] }

// isScalar reports whether a Go type is one of those.
func isScalar(goType string) bool { return sizes[goType] > 0 }

// intOf is the Go type of an integer in the public API, by the one with its layout: int for a C int.
func intOf(layout string) string {
	if layout == "int32" {
		return "int"
	}
	return layout
}

// bigEndian reports whether a C type holds its value in network byte order.
func bigEndian(ctype string) bool {
	return ctype == "__be16" || ctype == "__be32" || ctype == "__be64"
}

// isPointer reports whether a C type is a pointer of any kind.
func isPointer(ctype string) bool {
	return strings.Contains(ctype, "*")
}

// pointee is the C type behind a pointer, without const.
func pointee(ctype string) string {
	return strings.TrimPrefix(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(ctype), "*")), "const ")
}

// array splits "char[64]" into its element and count; count is 0 for other types.
func array(ctype string) (elem string, n int64) {
	i := strings.IndexByte(ctype, '[')
	if i < 0 || !strings.HasSuffix(ctype, "]") {
		return ctype, 0
	}
	n, err := strconv.ParseInt(ctype[i+1:len(ctype)-1], 0, 64)
	if err != nil {
		return ctype, 0
	}
	return strings.TrimSpace(ctype[:i]), n
}

// shownUnion is the Go type of a union whose members are views of the same bytes.
type shownUnion struct {
	Go          string
	Size, Align int64
}

// show adds a union that has the type of one of its members, and returns that type.
func (b *binder) show(rec *api.Record, name string, shown api.Field) (goType string, err error) {
	alone := &binder{facts: b.facts} // a union within has no type
	goType, nested, err := alone.goType(shown)
	if err == nil && nested != "" {
		err = errors.New("it is a struct")
	}
	if err == nil {
		err = alone.fits(shown, goType)
	}
	if err == nil && (shown.Offset != 0 || shown.Size != rec.Size) {
		err = errors.New("it has not all bytes of the union")
	}
	elem := goType[strings.IndexByte(goType, ']')+1:]
	b.shown[rec.Tag] = shownUnion{name, rec.Size, max(sizes[elem], 1)}
	return goType, err
}

// goType returns the Go type with the layout of a field, and the tag of the record that it needs a mirror of, if any.
func (b *binder) goType(f api.Field) (goType, record string, err error) {
	elem, n := array(f.Type)
	wrap := func(t string) string {
		if n > 0 {
			return fmt.Sprintf("[%d]%s", n, t)
		}
		return t
	}
	if f.Func != nil || isPointer(elem) {
		return wrap("uintptr"), "", nil
	}
	if t, ok := scalars[elem]; ok {
		return wrap(t), "", nil
	}
	if strings.HasPrefix(elem, "enum ") {
		if b.facts.TypeOf(elem).Signed {
			return wrap("int32"), "", nil
		}
		return wrap("uint32"), "", nil
	}
	if tag, ok := strings.CutPrefix(elem, "struct "); ok {
		return wrap(b.mirrorName(tag)), tag, nil
	}
	if u, ok := b.shown[elem]; ok {
		return wrap(u.Go), "", nil
	}
	return "", "", fmt.Errorf("its C type %q has no Go equivalent", f.Type)
}

// mirrorName is the Go name of the mirror of a record.
func (b *binder) mirrorName(tag string) string { return "c" + model.Exported(b.facts.Bare(tag)) }

// bytesOf is a Go type for the bytes of a field, aligned as far as its place and size allow.
func bytesOf(f api.Field) string {
	for _, bytes := range []int64{8, 4, 2} {
		if f.Offset%bytes == 0 && f.Size%bytes == 0 {
			return fmt.Sprintf("[%d]uint%d", f.Size/bytes, 8*bytes)
		}
	}
	return fmt.Sprintf("[%d]byte", f.Size)
}

// sizes are the sizes of the Go types of scalars, which on amd64 and arm64 are their alignments too.
var sizes = map[string]int64{"byte": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
	"uint64": 8, "uintptr": 8, "unsafe.Pointer": 8}

// fits reports why a field of C cannot have a Go type; nil when it can.
func (b *binder) fits(f api.Field, goType string) error {
	elem, n := goType, int64(1)
	if rest, ok := strings.CutPrefix(goType, "["); ok {
		count, e, _ := strings.Cut(rest, "]")
		elem = e
		n, _ = strconv.ParseInt(count, 10, 64)
	}
	size, to := sizes[elem], sizes[elem]
	held, _ := array(f.Type)
	union, isUnion := b.shown[held]
	switch {
	case isUnion:
		size, to = union.Size, union.Align
	case strings.HasPrefix(elem, "c"):
		rec := b.facts.Record(held)
		if rec == nil || rec.Incomplete {
			return errors.New(held + " is not defined in this header")
		}
		size, to = rec.Size, min(rec.Align, b.mirrorAlign(rec))
	}
	switch {
	case f.Size == 0:
		return errors.New("its type has no size")
	case size*n != f.Size:
		return fmt.Errorf("its C type %q has %d bytes, and the Go type %s has %d", f.Type, f.Size, goType, size*n)
	case to > 0 && f.Offset%to != 0:
		return fmt.Errorf("its offset %d is not one at which Go places a %s", f.Offset, goType)
	}
	return nil
}

// mirrorAlign is the alignment of the mirror of a record: that of its most aligned scalar.
func (b *binder) mirrorAlign(rec *api.Record) int64 {
	most := int64(1)
	for _, f := range rec.Fields {
		if f.Name == "" || rec.Container(f) {
			continue
		}
		elem, _ := array(f.Type)
		switch {
		case f.Func != nil || isPointer(elem):
			most = 8
		case b.facts.Record(elem) != nil && b.facts.Record(elem) != rec && strings.HasPrefix(elem, "struct "):
			most = max(most, b.mirrorAlign(b.facts.Record(elem)))
		case strings.HasPrefix(elem, "enum "):
			most = max(most, 4)
		case b.shown[elem].Align > 0:
			most = max(most, b.shown[elem].Align)
		default:
			most = max(most, sizes[scalars[elem]])
		}
	}
	return most
}

// noMirror reports why a record cannot have a mirror at all; empty when it can.
func (b *binder) noMirror(rec *api.Record) string {
	switch {
	case rec == nil:
		return "is not defined in this header"
	case rec.Incomplete:
		return "is declared in this header, but not defined"
	case rec.Size == 0:
		return "has no members"
	case rec.Size%b.mirrorAlign(rec) != 0:
		return fmt.Sprintf("its size of %d bytes is no multiple of the alignment %d that Go gives it", rec.Size, b.mirrorAlign(rec))
	}
	return ""
}

// bindUnions makes the Go types of unions, before the structs that hold them.
func (b *binder) bindUnions() {
	for _, p := range b.Pages {
		each(p.Unions, func(s *spec.Union) { b.bindUnion(p, s) })
	}
}

func (b *binder) bindUnion(p *spec.Page, s *spec.Union) {
	tag := "union " + s.C
	rec := b.facts.Record(tag)
	shown := rec.Field(s.Shows)
	if shown == nil {
		return // of a later release
	}
	goType, err := b.show(rec, s.Go, *shown)
	if err != nil {
		b.errorf(diag.MirrorImpossible, spec.Pos(shown.Pos), tag+"."+s.Shows, err.Error(), "show another member")
	}
	goType = strings.Replace(goType, "]uint8", "]byte", 1)
	u := &model.Union{Go: s.Go, C: s.C, Page: b.page(p.Page), GoType: goType, Text: s.Text, Doc: s.Doc}
	b.unions[s.Go] = u
	b.pkg.Unions = append(b.pkg.Unions, u)
}
