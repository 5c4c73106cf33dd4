package generate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// known holds a header against what the stored releases agree on.
type known struct {
	header string
	base   string // name of the header of the releases
	oldest string // release
	rel    *api.Release
	has    map[string]api.Agreed   // what the header says of each of its names
	at     map[string]api.Pos      // and where
	agreed map[string]api.Agreed   // what all releases say
	lives  map[string]api.Lifetime // since when, and whether it stays
	errs   diag.List
}

// CheckKnown refuses a header that lacks what it must have, or that says otherwise than every known release. What is
// asked is certain: a header with a name of some release has all names that this release and the ones before have and no
// release dropped; and a value or layout on which all releases agree is the same in the next. If changed is set, nothing
// of this is asked. A header without a single name of a known release is one of another library.
// So is every header of a module of which no release is known.
func CheckKnown(header string, rel *api.Release, m *spec.Module, stored *api.Known, changed bool) error {
	if changed || header == "" || stored.Newest() == "" {
		return nil
	}
	k := &known{header: header, base: m.HeaderBase(), oldest: stored.Oldest(), rel: rel, has: api.Properties(rel), at: api.Positions(rel)}
	var err error
	if k.agreed, err = stored.Agreement(); err != nil {
		return err
	}
	if k.lives, err = stored.Lifetimes(); err != nil {
		return err
	}
	newest, err := stored.Load(stored.Newest())
	if err != nil {
		return err
	}
	upTo := k.upTo()
	if upTo == "" {
		return nil
	}
	k.missing(newest, upTo)
	if len(k.errs) == 0 { // of a header that is not whole the rest is no news
		k.contradictions()
	}
	return k.errs.Err()
}

// anonymous reports whether names are made up for what has no tag.
func anonymous(name string) bool { return strings.Contains(name, "<") }

// upTo is the newest release that the header has a name of; empty when it has none of any.
func (k *known) upTo() string {
	upTo := ""
	for name := range k.has {
		if l, ok := k.lives[name]; ok && !anonymous(name) && (upTo == "" || api.Compare(l.Since, upTo) > 0) {
			upTo = l.Since
		}
	}
	return upTo
}

// shown bounds how many missing declarations are listed.
const shown = 10

// missing reports what the header lacks of the names up to a release, in the order of the newest header.
func (k *known) missing(newest *api.Release, upTo string) {
	n := 0
	near := api.Pos{File: k.header, Line: 1, Col: 1} // of the declaration before the missing one, or of the struct or enum around it
	lacks := func(name, what string) bool {
		l := k.lives[name]
		if at := k.at[name]; at.Line > 0 {
			near = at
		}
		if k.has[name] != nil || !l.Stays || anonymous(name) || api.Compare(l.Since, upTo) > 0 {
			return false
		}
		if n++; n <= shown {
			k.errs.Add(diag.At(diag.HeaderLacks, near, name,
				"the header does not declare this "+what+", which rdma-core has since "+l.Since, k.wholeFix(l.Since)))
		}
		return true
	}
	for _, f := range newest.Functions {
		if !f.Helper {
			lacks(f.Name, "function")
		}
	}
	for _, r := range newest.Records {
		if lacks(r.Tag, strings.SplitN(r.Tag, " ", 2)[0]) {
			continue
		}
		for _, f := range r.Fields {
			if f.Name != "" && !(reserved(f.Name) && k.grows(r.Tag)) {
				lacks(r.Tag+"."+f.Name, "field")
			}
		}
	}
	for _, e := range newest.Enums {
		if lacks(e.Tag, "enum") {
			continue
		}
		for _, m := range e.Enumerators {
			lacks(m.Name, "enumerator")
		}
	}
	for _, m := range newest.Macros {
		lacks(m.Name, "macro")
	}
	for _, a := range newest.Aliases {
		lacks(a.Name, "name of "+a.Of)
	}
	if n > shown {
		k.errs.Add(diag.New(diag.HeaderLacks, k.header, 1, 1, "header", fmt.Sprintf("%d more declarations are missing", n-shown),
			"use a complete "+k.base))
	}
}

// wholeFix says what to do about a name that is missing since a release.
func (k *known) wholeFix(since string) string {
	fix := "use a complete " + k.base
	if since == k.oldest {
		fix += ", of rdma-core " + since + " or later"
	}
	return fix + "; if the release dropped it, or this is a vendor's header with some of the names alone, --allow-changed-abi"
}

// contradictions reports what the header says otherwise than all releases.
func (k *known) contradictions() {
	for _, name := range slices.Sorted(maps.Keys(k.has)) {
		agreed := k.agreed[name]
		if agreed == nil || anonymous(name) {
			continue
		}
		for _, property := range slices.Sorted(maps.Keys(k.has[name])) {
			want, all := agreed[property]
			if got := k.has[name][property]; all && got != want && !k.mayDiffer(name, property, got, want) {
				k.contradicts(name, property, got, want)
			}
		}
	}
}

// mayDiffer reports whether a difference is how releases grow.
func (k *known) mayDiffer(name, property, got, want string) bool {
	tag, field, isField := cutField(name)
	switch property {
	case api.PropSize:
		if isField {
			return reserved(field) && k.grows(tag)
		}
		return more(got, want) && k.grows(name)
	case api.PropType:
		return isField && reserved(field) && k.grows(tag)
	case api.PropOffset:
		atEnd := k.has[name][api.PropFromEnd] == k.agreed[name][api.PropFromEnd]
		return isField && k.grows(tag) && (reserved(field) || atEnd && k.growsAtFront(tag))
	case api.PropFromEnd: // it tells where a field is in a record that grows at its front
		_, fromStart := k.agreed[name][api.PropOffset]
		return fromStart && !k.growsAtFront(tag)
	case api.PropValue: // an end marker moves when members come before it
		return strings.HasSuffix(name, "_RESERVED") && more(got, want)
	}
	return false
}

// grows reports whether a record has a field that no known release has, where releases may add some: it has a mask of what
// is valid, grew before, or grows at its front.
func (k *known) grows(tag string) bool {
	_, fixed := k.agreed[tag][api.PropSize]
	if fixed && k.has[tag+".comp_mask"] == nil && !k.growsAtFront(tag) {
		return false
	}
	for _, r := range k.rel.Records {
		if r.Tag != tag {
			continue
		}
		for _, f := range r.Fields {
			if _, known := k.lives[tag+"."+f.Name]; f.Name != "" && !known {
				return true
			}
		}
	}
	return false
}

// growsAtFront reports whether a record may get fields before the others: inline functions of the header look at its size before they
// call an op in it, as they do with verbs_context.
func (k *known) growsAtFront(tag string) bool {
	for _, f := range k.rel.Functions {
		if d := f.Dispatch; d != nil && d.Way == api.WayVerbs && k.has[tag+"."+d.Op] != nil {
			return true
		}
	}
	return false
}

// reserved reports whether fields hold room for later ones.
func reserved(field string) bool { return strings.HasPrefix(field, "reserved") }

func more(got, want string) bool {
	g, err1 := strconv.ParseInt(got, 10, 64)
	w, err2 := strconv.ParseInt(want, 10, 64)
	return err1 == nil && err2 == nil && g > w
}

// cutField splits "struct ibv_mr.lkey".
func cutField(name string) (tag, field string, ok bool) {
	if !strings.HasPrefix(name, "struct ") && !strings.HasPrefix(name, "union ") {
		return "", "", false
	}
	return strings.Cut(name, ".")
}

// contradicts reports one property.
func (k *known) contradicts(name, property, got, want string) {
	pos := k.at[name]
	since := k.lives[name].Since
	if tag, _, ok := cutField(name); ok && since == "" {
		since = k.lives[tag].Since
	}
	file := pos.File
	if file == "" {
		file = k.header
	}
	k.errs.Add(diag.New(diag.HeaderContradicts, file, pos.Line, pos.Col, name,
		fmt.Sprintf("its %s is %s; every known release since %s has %s", property, got, since, want),
		"take the "+k.base+" of a release; if this change is meant, --allow-changed-abi"))
}
