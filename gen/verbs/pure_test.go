package verbs_test

import (
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestFlowLabelToUDPSport compares ports with those that the definition of the RoCE v2 annex gives: the 20 bits of the label folded
// into 14, above 0xc000.
func TestFlowLabelToUDPSport(t *testing.T) {
	lib := load(t)
	for label, want := range map[uint32]uint16{0: 0xc000, 1: 0xc001, 0x3fff: 0xffff, 0x4000: 0xc001, 0xfc000: 0xc03f,
		0xfffff: 0xffc0, 0x12345: 0xe341, 0xfff12345: 0xe341} {
		if got, err := lib.FlowLabelToUDPSport(label); err != nil || got != want {
			t.Errorf("label %#x: port %#x, %v; want %#x", label, got, err, want)
		}
	}
}

// TestIsQPTSupported asks for types in and out of a set.
func TestIsQPTSupported(t *testing.T) {
	lib := load(t)
	set := uint32(1<<verbs.QPTypeRC | 1<<verbs.QPTypeRawPacket)
	for typ, want := range map[verbs.QPType]int{verbs.QPTypeRC: 1, verbs.QPTypeUC: 0, verbs.QPTypeUD: 0, verbs.QPTypeRawPacket: 1} {
		if got, err := lib.IsQPTSupported(set, typ); err != nil || got != want {
			t.Errorf("%v of %#x: %d, %v; want %d", typ, set, got, err, want)
		}
	}
}

func load(t *testing.T) *verbs.Lib {
	t.Helper()
	lib, err := verbs.LoadFrom(softverbs.New())
	if err != nil {
		t.Fatal(err)
	}
	return lib
}
