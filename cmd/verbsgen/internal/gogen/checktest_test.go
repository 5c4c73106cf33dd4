package gogen

import (
	"math/big"
	"testing"
)

// TestCaseNumbers reads the values that a case gives to arguments; bind has resolved the names of constants.
func TestCaseNumbers(t *testing.T) {
	for _, c := range []struct {
		value any
		want  int64
	}{
		{nil, 0}, {true, 1}, {false, 0}, {big.NewInt(-7), -7}, {[]any{big.NewInt(1), big.NewInt(8)}, 9}, {map[string]any{}, someValue},
		{"@x", someValue},
	} {
		if got := number(c.value); got.Int64() != c.want {
			t.Errorf("%v: %v, want %d", c.value, got, c.want)
		}
	}
}
