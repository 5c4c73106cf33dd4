package cheader

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// check refuses a header without declarations, or without a function that must be there.
func (f *facts) check() {
	rel := f.rel
	if len(f.errs) == 0 && len(rel.Functions)+len(rel.Records)+len(rel.Enums)+len(rel.Macros)+len(rel.Typedefs)+len(rel.Variables) == 0 {
		f.errs.Add(diag.New(diag.HeaderNoVerbs, f.p.opts.Header, 1, 1, "header", "declares nothing",
			"name the header of the library, such as infiniband/verbs.h"))
		return
	}
	for _, name := range f.p.opts.Require {
		if _, ok := f.functions[name]; !ok {
			f.errs.Add(diag.New(diag.HeaderLacks, f.p.opts.Header, 1, 1, name,
				"the header does not declare this function, which every ibverbs header has", "name the verbs header, infiniband/verbs.h"))
		}
	}
}
