//go:build ignore

//verbsgen:with MR ibv_import_mr

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// Locate tells an imported region where it lies: the IOVA, and the length in bytes, with which it was registered.
// Then SGE, IOVA and Remote work; Length stays as it is. For any other region, and if it was called before,
// Locate returns syscall.EINVAL.
//
// C: ibv_import_mr, ibv_import_mr(3).
func (mr *MR) Locate(iova, length uint64) error {
	const verb = "ibv_import_mr"
	if err := mr.base().Enter(verb); err != nil {
		return err
	}
	defer mr.h.Exit()
	if !mr.region.Locate(iova, length) {
		return fail.Invalid(verb, "the region was not imported, or it was said before where it lies; a region that was registered here knows")
	}
	return nil
}
