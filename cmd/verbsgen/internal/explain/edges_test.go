package explain

import (
	"math/big"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// farOff are rules of which a call stands further off, each with the reason.
var farOff = map[string]string{
	"VR-ibv_create_cq_ex-comp_vector-3301": "accept: no device has as many vectors; the software device makes a queue with the first",
	"VR-ibv_reg_mr_iova-iova-0040":         "reject: an iova that is no multiple of the page breaks another rule",
	"VR-ibv_reg_mr_ex-iova-0200":           "reject: an iova that is no multiple of the page breaks another rule",
}

// TestEdges moves the numbers of the rules of kind range by one: where a bound is looser the call of `reject` is no longer spoken of,
// and where it is tighter that of `accept` is. So the two calls of a rule stand on both sides of its bound; of one with two bounds,
// each at one of them. Below a bound of 0 there may be nothing.
func TestEdges(t *testing.T) {
	s, k := newest(t)
	looked := 0
	for _, r := range s.Rules() {
		if r.Kind != spec.KindRange {
			continue
		}
		loose, tight, numbers := false, false, 0
		for _, b := range []struct {
			bound *string
			out   int64
		}{{&r.Min, -1}, {&r.Max, 1}} {
			was := *b.bound
			n, ok := spec.ParseInt(was)
			if !ok {
				continue
			}
			numbers++
			spoken := func(by int64, c spec.Case) bool {
				*b.bound = new(big.Int).Add(n, big.NewInt(by)).String()
				k.use(r, r.Broken())
				defer func() {
					*b.bound = was
					k.use(r, r.Broken())
				}()
				res := k.Evaluate(caseOf(r, c))
				return slices.Contains(res.Rules, r.ID) || slices.Contains(res.Lints, r.ID)
			}
			loose = loose || !spoken(b.out, r.Reject)
			tight = tight || n.Sign() == 0 && b.out > 0 || spoken(-b.out, r.Accept)
		}
		if numbers == 0 {
			continue
		}
		looked++
		if why, far := farOff[r.ID]; (loose && tight) == far {
			t.Errorf("%s: reject %v is one beyond the bound: %v; accept %v is at it: %v; a reason: %q\n"+
				"write accept at the bound and reject one beyond it, or a reason in farOff", r.ID, r.Reject.Args, loose, r.Accept.Args, tight, why)
		}
	}
	if looked < 40 {
		t.Errorf("only %d rules have a number as a bound", looked)
	}
}
