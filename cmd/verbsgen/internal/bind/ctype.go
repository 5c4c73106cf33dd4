package bind

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// goTypes gives the Go type with the layout of a C scalar on linux/amd64 and linux/arm64.
var goTypes = map[string]string{
	"char": "byte", "signed char": "int8", "unsigned char": "uint8", "int": "int32", "unsigned int": "uint32", "unsigned": "uint32",
	"long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64",
	"int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64",
	"uint8_t": "uint8", "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64",
	"size_t": "uint64", "ssize_t": "int64", "uintptr_t": "uintptr",
	"__u8": "uint8", "__u16": "uint16", "__u32": "uint32", "__u64": "uint64", "__aligned_u64": "uint64",
	"__be16": "uint16", "__be32": "uint32", "__be64": "uint64",
}

// goInt is the Go type of an integer in the public API, by the one with its layout: int for a C int.
func goInt(layout string) string {
	if layout == "int32" {
		return "int"
	}
	return layout
}

// bigEndian tells whether a C type holds its value in network byte order.
func bigEndian(ctype string) bool {
	return ctype == "__be16" || ctype == "__be32" || ctype == "__be64"
}

// isPointer tells whether a C type is a pointer of any kind.
func isPointer(ctype string) bool {
	return strings.Contains(ctype, "*")
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

// mirrorType gives the Go type that mirrors a C type, and the tag of the record it needs a mirror of, if any.
func (b *binder) mirrorType(f api.Field) (goType, record string, err error) {
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
	if t, ok := goTypes[elem]; ok {
		return wrap(t), "", nil
	}
	if strings.HasPrefix(elem, "enum ") {
		if b.facts.TypeOf(elem).Signed {
			return wrap("int32"), "", nil
		}
		return wrap("uint32"), "", nil
	}
	if tag, ok := strings.CutPrefix(elem, "struct "); ok {
		return wrap("c" + mirrorBase(tag)), tag, nil
	}
	if elem == model.GIDUnion {
		return wrap(model.GID), "", nil
	}
	return "", "", fmt.Errorf("its C type %q has no Go equivalent", f.Type)
}

// fieldType is the C type of a field, empty when there is none.
func (b *binder) fieldType(tag, name string) string {
	t, _ := b.facts.Member(b.facts.TypeOf(tag), name)
	return t.C
}

// isInteger tells whether a C type is an integer or an enum.
func (b *binder) isInteger(ctype string) bool {
	t := b.facts.TypeOf(ctype)
	return t.Kind == spec.CInt && !t.Array
}

// maxOf is the greatest value of an integer type.
func (b *binder) maxOf(ctype string) uint64 {
	_, high := b.facts.TypeOf(ctype).Range()
	return high.Uint64()
}
