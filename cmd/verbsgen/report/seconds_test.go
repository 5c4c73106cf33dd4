package report

import (
	"encoding/json"
	"testing"
)

// TestSeconds reads durations at the ends of what is allowed, and beyond them.
func TestSeconds(t *testing.T) {
	for text, ok := range map[string]bool{"0": true, "31622400": true, "-0.000001": false, "31622400.5": false, `"1"`: false} {
		var s Seconds
		if err := json.Unmarshal([]byte(text), &s); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
