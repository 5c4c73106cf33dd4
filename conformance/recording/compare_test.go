//go:build linux && cgo

package recording

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// compare holds what was recorded against what was set: all of it, and nothing else.
func (r *request) compare() {
	r.Helper()
	wants := maps.Clone(r.want)
	for param, x := range r.built {
		for c, w := range x.want {
			wants[joined(param, c)] = w
		}
		switch {
		case x.record.Mask != "":
			wants[param+"."+x.record.Mask] = numberWant(x.mask)
		case x.record.MaskParam != "":
			wants[x.record.MaskParam] = numberWant(x.mask)
		}
	}
	for path, mask := range r.asked() {
		wants[path] = numberWant(mask)
	}
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(wants)) {
		leaf := leafOf(r.got.In, path, wants[path])
		seen[leaf] = true
		if got := r.got.In[leaf]; !wants[path].met(got) && !(wants[path].text == "0" && got == "") {
			r.Errorf("%s: C sees %s = %s, not %s%s", r.method.Go, path, got, wants[path], r.instead(wants[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.got.In)) {
		if !seen[path] && !zero(r.got.In[path]) && !r.shares(path, seen) && !r.pointer(path, seen) {
			r.extra(path)
		}
	}
}

// joined is the path of a field of an argument, or of a record behind it.
func joined(param, path string) string {
	if strings.HasPrefix(path, "[") {
		return param + path
	}
	return param + "." + path
}

// asked returns the masks of the records that the verb fills, where the mask has bits for their fields: all of them. That of an extended
// device query is set until somebody clears it: a provider that fills more than the plain attributes does.
func (r *request) asked() map[string]uint64 {
	out := map[string]uint64{}
	if r.verb.C == "ibv_query_device_ex" {
		out["attr.comp_mask"] = math.MaxUint32
	}
	for _, p := range r.verb.Params {
		rec := r.spec.RecordByGo(p.Type)
		if p.Role != role.OutRecord || rec.Role != spec.RecordOut {
			continue
		}
		for _, f := range rec.Fields {
			if f.Bit != "" {
				out[p.C+"."+rec.Mask] |= r.facts.Const(f.Bit).Uint64()
			}
		}
	}
	return out
}

// leafOf returns the path that is recorded for a field or argument: of a union the member that is bytes.
func leafOf(recorded map[string]string, path string, w want) string {
	if text, ok := recorded[path]; ok && (Bytes(w.text) == nil || Bytes(text) != nil) {
		return path
	}
	best := ""
	for p := range recorded {
		if strings.HasPrefix(p, path+".") && Bytes(recorded[p]) != nil && (best == "" || p < best) {
			best = p
		}
	}
	return best
}

// instead reports where a value went.
func (r *request) instead(w want) string {
	for _, path := range slices.Sorted(maps.Keys(r.got.In)) {
		if !w.some && !zero(w.text) && r.got.In[path] == w.text {
			return ", which is in " + path
		}
	}
	return ""
}

// pointer reports whether a value is the address of bytes that were set.
func (r *request) pointer(path string, seen map[string]bool) bool {
	for s := range seen {
		if strings.HasPrefix(s, path+".") && Bytes(r.got.In[s]) != nil {
			return true
		}
	}
	return false
}

// extra judges a value that nobody set.
func (r *request) extra(path string) {
	r.Helper()
	if equal, ok := reaches[r.verb.C].also[path]; ok {
		if r.got.In[path] != r.got.In[equal] {
			r.Errorf("%s: C sees %s = %s, not that of %s, %s", r.method.Go, path, r.got.In[path], equal, r.got.In[equal])
		}
		return
	}
	if !r.known[path] && !strings.Contains(path, ".") {
		for _, p := range r.verb.Params { // the size that the header adds
			if rec := r.spec.RecordByGo(p.Type); rec != nil && r.got.In[path] == fmt.Sprint(r.facts.Record("struct "+rec.C).Size) {
				return
			}
		}
	}
	r.Errorf("%s: C sees %s = %s, which nobody set", r.method.Go, path, r.got.In[path])
}

// shares reports whether a field lies in the same memory as one that was set, in a union.
func (r *request) shares(path string, seen map[string]bool) bool {
	param, inner, nested := strings.Cut(path, ".")
	if !nested {
		return false
	}
	if of, rest, ok := strings.Cut(param, "["); ok && behind[r.tagOf(of)][0] != "" {
		return r.sharesWith(param, behind[r.tagOf(of)][0], inner, seen) && rest != ""
	}
	if at := strings.LastIndex(path, "[0]."); at >= 0 { // a record behind a pointer
		return r.sharesBehind(path, at, seen)
	}
	return r.sharesWith(param, r.tagOf(param), inner, seen)
}

// sharesWith reports whether a field of a record, whose fields have a common path, lies in the same memory as one that was set.
func (r *request) sharesWith(param, tag, inner string, seen map[string]bool) bool {
	from, size := r.place(tag, inner)
	for s := range seen {
		if p, in, ok := strings.Cut(s, "."); ok && p == param {
			if at, n := r.place(tag, in); at < from+size && from < at+n {
				return true
			}
		}
	}
	return false
}

// tagOf returns the record behind an argument.
func (r *request) tagOf(param string) string {
	name, _, _ := strings.Cut(param, "[")
	for _, p := range r.verb.Params {
		if rec := r.spec.RecordByGo(p.Type); p.C == name && rec != nil {
			return "struct " + rec.C
		}
	}
	for _, p := range r.facts.Func(r.verb.C).Params { // unions have no record on a page
		if p.Name == name {
			return strings.TrimSuffix(strings.TrimPrefix(p.Type, "const "), " *")
		}
	}
	return ""
}

// place returns offset and size of a field of a record, by the facts.
func (b *bed) place(tag, path string) (offset, size int64) {
	rec := b.rec.source.records[tag]
	if rec == nil {
		return 0, 0
	}
	var best *api.Field
	for i, f := range rec.Fields {
		if f.Name != "" && (path == f.Name || strings.HasPrefix(path, f.Name+".")) && (best == nil || len(f.Name) > len(best.Name)) {
			best = &rec.Fields[i]
		}
	}
	if best == nil {
		return 0, 0
	}
	if rest, deeper := strings.CutPrefix(path, best.Name+"."); deeper {
		at, n := b.place(best.Type, rest)
		return best.Offset + at, n
	}
	return best.Offset, best.Size
}
