package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/spec/api"
)

// contradictions lists what a header says otherwise than another, or not at all, without a look at the check of generate. What it says more
// is none: a new declaration, an op of an inline function that had none, or a size of a record that grew before. A field is where it was.
func contradictions(was, is *api.Release) (list []string) {
	says := api.Properties(is)
	for name, properties := range api.Properties(was) {
		for property, before := range properties {
			now, told := says[name][property]
			switch {
			case now == before, strings.Contains(name, "<"): // a made-up name
			case property == api.PropFromEnd, property == api.PropOp && !told && says[name] != nil:
			case property == api.PropSize && grownRecords()[name] && sizeOf(now) > sizeOf(before):
			default:
				list = append(list, fmt.Sprintf("%s: its %s was %s and is %s", name, property, before, now))
			}
		}
	}
	slices.Sort(list)
	return list
}

// sizeOf is the number of a size; 0 where none is told.
func sizeOf(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// grownRecords are those that may grow: they had several sizes in the known releases, or have a mask of what is valid.
var grownRecords = sync.OnceValue(func() map[string]bool {
	sizes, grown := map[string]int64{}, map[string]bool{}
	for _, name := range api.Releases() {
		rel, err := api.Load(name)
		if err != nil {
			panic(err) // of a test
		}
		for _, r := range rel.Records {
			old, known := sizes[r.Tag]
			grown[r.Tag] = grown[r.Tag] || known && old != r.Size || r.Field("comp_mask") != nil
			sizes[r.Tag] = r.Size
		}
	}
	return grown
})
