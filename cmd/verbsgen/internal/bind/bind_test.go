package bind

import "testing"

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, s string
		want    bool
	}{
		{"ibv_reg_mr", "ibv_reg_mr", true}, {"ibv_reg_mr", "ibv_reg_mr_ex", false}, {"ibv_*_dm", "ibv_alloc_dm", true},
		{"ibv_*_dm", "ibv_reg_dm_mr", false}, {"*", "x", true}, {"*mr*", "ibv_reg_mr_ex", true}, {"a*a", "a", false}, {"ibv_*_*_mr", "ibv_reg_dm_mr", true},
	} {
		if got := match(c.glob, c.s); got != c.want {
			t.Errorf("match(%q, %q) = %t", c.glob, c.s, got)
		}
	}
}
