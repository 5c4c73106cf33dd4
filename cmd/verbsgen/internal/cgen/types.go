package cgen

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// This file has C types, which are texts in the one spelling that facts have: "const char *", "enum ibv_mtu", "uint8_t[16]",
// "int (*)(struct ibv_dm *, size_t)".

// Types looks up names of types, and says how their values cross between C and Go.
type Types struct {
	records map[string]*api.Record
	enums   map[string]*api.Enum
}

// NewTypes returns the types of a release.
func NewTypes(rel *api.Release) *Types {
	ts := &Types{records: map[string]*api.Record{}, enums: map[string]*api.Enum{}}
	for i := range rel.Records {
		ts.records[rel.Records[i].Tag] = &rel.Records[i]
	}
	for i := range rel.Enums {
		ts.enums[rel.Enums[i].Tag] = &rel.Enums[i]
	}
	for _, a := range rel.Aliases {
		if r := ts.records[a.Kind+" "+a.Of]; r != nil {
			ts.records[a.Kind+" "+a.Name] = r
		}
		if e := ts.enums[a.Kind+" "+a.Of]; e != nil {
			ts.enums[a.Kind+" "+a.Name] = e
		}
	}
	return ts
}

// Integer is the Go type that carries the values of a C type: of an integer or an enum that of its width and sign, of a pointer uintptr. A
// __be64 is a uint64 whose bytes are in network order.
func (ts *Types) Integer(ctype string) (string, error) {
	name := names(ctype)[0]
	e := ts.enums[name]
	switch {
	case strings.Contains(ctype, "*"):
		return "uintptr", nil
	case integers[name] != "":
		return integers[name], nil
	case e != nil:
		return enumType(e), nil
	case ofLibc(name) || isTag(name):
		return "", fmt.Errorf("type %q is no integer and no pointer", ctype)
	}
	return "", fmt.Errorf("type %q: %s", name, unknownType)
}

const unknownType = "neither the facts nor libc have it"

// ofLibc reports whether a type is one of C, of libc or of the kernel.
func ofLibc(name string) bool {
	_, known := alignments[name]
	return known || integers[name] != ""
}

// align is the alignment of a type on amd64; 0 where nothing is known.
func (ts *Types) align(ctype string) int64 {
	name := names(ctype)[0]
	if strings.Contains(ctype, "*") {
		return 8
	}
	if r := ts.records[name]; r != nil {
		return r.Align
	}
	if t, err := ts.Integer(name); err == nil {
		bits, _ := strconv.ParseInt(strings.TrimLeft(t, "uint"), 10, 64)
		return bits / 8
	}
	return alignments[name]
}

func isTag(name string) bool {
	return strings.HasPrefix(name, "struct ") || strings.HasPrefix(name, "union ")
}

// enumType is the type that gcc gives an enum: int or unsigned int where all values fit, else 8 bytes.
func enumType(e *api.Enum) string {
	size := 32
	for _, v := range e.Enumerators {
		if v.Value > 1<<32-1 || v.Value < -1<<31 || e.Signed && v.Value > 1<<31-1 {
			size = 64
		}
	}
	if e.Signed {
		return fmt.Sprintf("int%d", size)
	}
	return fmt.Sprintf("uint%d", size)
}

var (
	qualifier = regexp.MustCompile(`\b(const|volatile|restrict|__restrict|_Atomic)\b ?`)
	typeName  = regexp.MustCompile(`\b[A-Za-z_](?:[\w. ]|<[^>]*>)*`)
)

// names are those that a type mentions, without qualifiers: the name of its values, of what a pointer points to, of elements of an array,
// or of the result of a function, and then those of the parameters.
func names(ctype string) (out []string) {
	for _, name := range typeName.FindAllString(qualifier.ReplaceAllString(ctype, ""), -1) {
		out = append(out, strings.TrimSpace(name))
	}
	return out
}

// holds reports whether a type has values of its first name in it, and not just a pointer.
func holds(ctype string) bool { return !strings.ContainsAny(ctype, "*(") }

// declare is the declaration of a name, which stands behind the stars in the first parentheses, or before the bounds of an array.
func declare(ctype, name string) string {
	at := len(ctype)
	if i := strings.Index(ctype, "(*"); i >= 0 {
		at = i + strings.IndexAny(ctype[i:], ")[")
	} else if i := strings.IndexByte(ctype, '['); i >= 0 {
		at = i
	}
	if name != "" && !strings.ContainsAny(ctype[at-1:at], "*(") {
		name = " " + name
	}
	return ctype[:at] + name + ctype[at:]
}

// integers are the Go types of the integers of C, of libc and of the kernel's linux/types.h that a verbs header may name, on linux/amd64
// and linux/arm64. Plain char is taken as signed (amd64).
var integers = map[string]string{}

func init() {
	for typ, list := range map[string]string{
		"int8":   "char, signed char, int8_t, __s8",
		"uint8":  "_Bool, bool, unsigned char, uint8_t, __u8",
		"int16":  "short, int16_t, __s16",
		"uint16": "unsigned short, uint16_t, __u16, __le16, __be16, __sum16",
		"int32":  "int, int32_t, __s32, wchar_t, pid_t",
		"uint32": "unsigned int, unsigned, uint32_t, __u32, __le32, __be32, __wsum, socklen_t, uid_t, gid_t, mode_t",
		"int64":  "long, long int, long long, int64_t, __s64, intptr_t, intmax_t, ssize_t, ptrdiff_t, off_t, time_t",
		"uint64": "unsigned long, unsigned long int, long unsigned int, unsigned long long, uint64_t, __u64, __le64, __be64, __aligned_u64, " +
			"__aligned_be64, uintptr_t, uintmax_t, size_t, dev_t, nfds_t, pthread_t",
	} {
		for name := range strings.SplitSeq(list, ", ") {
			integers[name] = typ
		}
	}
}

// alignments are those of other types of C and of libc.
var alignments = map[string]int64{"void": 0, "float": 4, "double": 8, "long double": 16, "struct timespec": 8, "struct timeval": 8,
	"pthread_mutex_t": 8, "pthread_cond_t": 8, "pthread_mutexattr_t": 4, "pthread_condattr_t": 4}
