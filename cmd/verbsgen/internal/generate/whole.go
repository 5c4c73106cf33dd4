package generate

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// whole refuses a verbs.h with a hole in it: no release ever dropped a function, so a header that has a function of
// some release has all those of that release and of the ones before. A header with less than half of what the oldest
// known release has is not taken for a verbs.h. Newest are the facts of the newest known release.
func whole(header string, rel, newest *api.Release, since api.Index) error {
	if header == "" {
		return nil
	}
	has := map[string]bool{}
	oldest := api.Releases()[0]
	upTo, old, known := oldest, 0, 0
	for _, f := range rel.Functions {
		has[f.Name] = true
		if s := since[f.Name]; s != "" && api.Compare(s, upTo) > 0 {
			upTo = s
		}
	}
	for _, f := range newest.Functions {
		if since[f.Name] != oldest {
			continue
		}
		old++
		if has[f.Name] {
			known++
		}
	}
	if 2*known < old {
		return nil
	}
	var errs diag.List
	for _, f := range newest.Functions {
		if !has[f.Name] && !f.Helper && api.Compare(since[f.Name], upTo) <= 0 {
			errs.Add(diag.New(diag.HeaderLacks, header, 0, 0, f.Name,
				"the header does not declare this function, which rdma-core has since "+since[f.Name], "take a verbs.h that is whole"))
		}
	}
	return errs.Err()
}
