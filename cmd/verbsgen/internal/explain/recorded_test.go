package explain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// TestRecordedAnswers holds the verdicts for soft-RoCE against what its kernels answered to every combination of the access
// flags: no call that a kernel accepted is refused for that kernel, and none that it refused is accepted. A kernel that
// ignores a flag accepts the call, and the verdict stays a warning.
//
// The page allows HUGETLB with ON_DEMAND. That soft-RoCE refuses the two together is no rule: it lacks HUGETLB.
func TestRecordedAnswers(t *testing.T) {
	const onDemandHuge = 1<<6 | 1<<7
	_, k := newest(t)
	for _, series := range []string{"6.1", "6.12", "7.2"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "conformance", "device", "testdata", "access-"+series+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var recorded struct {
			Caps    uint64 `json:"device_cap_flags_ex"`
			ODP     uint64 `json:"odp_general_caps"`
			Answers []string
		}
		if err := json.Unmarshal(data, &recorded); err != nil {
			t.Fatal(err)
		}
		kernel, ok := spec.ParseKernel(series)
		if !ok {
			t.Fatal(series)
		}
		there := k.On(spec.Platform{Provider: "rxe", Kernel: kernel})
		caps := map[string]any{"device_attr_ex.device_cap_flags_ex": recorded.Caps, "device_attr_ex.odp_caps.general_caps": recorded.ODP}
		counts := map[string]int{}
		for i := range 2048 {
			access := i&0x3ff | i>>10<<20
			accepted := recorded.Answers[i/64][i%64] == '.'
			r := there.Evaluate(Case{Verb: "ibv_reg_mr", Args: map[string]any{"addr": 0x10000, "length": 4096, "access": access}, Caps: caps})
			counts[r.Verdict]++
			lacks := access&onDemandHuge == onDemandHuge && r.Verdict == Accept
			if r.Verdict == Unknown || r.Verdict == Reject && accepted || r.Verdict == Accept && !accepted && !lacks {
				t.Errorf("linux %s accepted access %#x: %v; the verdict is %s %v", series, access, accepted, r.Verdict, r.Messages)
			}
		}
		t.Logf("linux %s: %v", series, counts)
		if counts[Accept] == 0 || counts[Reject] == 0 || counts[Warn] > 700 {
			t.Errorf("linux %s: %v: most verdicts should be definite", series, counts)
		}
	}
}
