//go:build linux && cgo

package calls

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestLoadFromNothing takes functions from no device: the error says so.
func TestLoadFromNothing(t *testing.T) {
	for _, d := range []*softverbs.Device{nil, new(softverbs.Device)} {
		if _, err := verbs.LoadFrom(d); err == nil || !strings.Contains(err.Error(), "the device is nil or was never opened") {
			t.Errorf("%v", err)
		}
	}
	if _, err := verbs.Load(nil, verbs.Path("/dev/null")); err == nil || !strings.Contains(err.Error(), "/dev/null") {
		t.Errorf("a nil option: %v", err)
	}
}
