package devmem

import (
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"
)

func TestAdopt(t *testing.T) {
	if !dmcopy.Available {
		t.Skip("no direct access in this build")
	}
	const base = 0x7f0000001000
	tests := []struct {
		name       string
		length     uint64
		known      bool
		m          mapping
		mode       Mode
		wantLength uint64
		wantKnown  bool
		direct     uint64
	}{
		{"mapped", 64, true, mapping{base, 64}, Direct4, 64, true, 64},
		{"not mapped", 64, true, mapping{}, Shim, 64, true, 0},
		{"the provider's length wins", 64, true, mapping{base, 32}, Direct4, 32, true, 32},
		{"imported, provider knows", 0, false, mapping{base, 32}, Direct4, 32, true, 32},
		{"imported, provider does not map", 0, false, mapping{0, 32}, Shim, 32, true, 0},
		{"imported, nobody knows", 0, false, mapping{base, 0}, Shim, 0, false, 0},
		{"imported, caller's zero is no length", 7, false, mapping{}, Shim, 0, false, 0},
		{"length of no granule", 3, true, mapping{base, 3}, Shim, 3, true, 0},
		{"length with a rest", 7, true, mapping{base, 7}, Direct4, 7, true, 4},
		{"mapping off granules", 64, true, mapping{base + 2, 64}, Shim, 64, true, 0},
		{"mapping over the end of addresses", 64, true, mapping{^uintptr(0) - 31, 64}, Shim, 64, true, 0},
		{"mapping of the greatest length", 64, true, mapping{base, 1 << 56}, Direct4, 1 << 56, true, 1 << 56},
		{"mapping of an impossible length", 64, true, mapping{base, 1 << 60}, Shim, 1 << 60, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d DM
			direct := d.adopt(tt.length, tt.known, tt.m)
			length, known := d.Length()
			if d.mode != tt.mode {
				t.Errorf("mode %v, want %v", d.mode, tt.mode)
			}
			if length != tt.wantLength || known != tt.wantKnown || direct != tt.direct {
				t.Errorf("length %d (known %v), %d direct; want %d (known %v), %d direct",
					length, known, direct, tt.wantLength, tt.wantKnown, tt.direct)
			}
		})
	}
}

// TestDistrust goes through facts that no provider at hand shows; the others are met in TestProviders.
func TestDistrust(t *testing.T) {
	good := func(addr uintptr) place {
		return place{addr: addr, object: 0x1000, found: true, code: true, name: "/x/libp.so"}
	}
	tests := []struct {
		name string
		edit func(*facts)
		want string
	}{
		{"trusted", func(*facts) {}, ""},
		{"trusted in the main program", func(f *facts) { f.op.name, f.to.name, f.from.name = "", "", "" }, ""},
		{"MANA by name", func(f *facts) { f.op.name = "/x/libibverbs/libmana-rdmav34.so" }, "MANA"},
		{"MANA by export", func(f *facts) { f.mana = true }, "MANA"},
		{"a name that begins like it is not MANA", func(f *facts) { f.op.name = "/x/libmanaged.so.1" }, ""},
		{"a folder of that name is not MANA", func(f *facts) { f.op.name = "/libmana/libp.so" }, ""},
		{"callback outside all objects", func(f *facts) { f.to = place{addr: 3} }, "memcpy_to_dm lies in no loaded object"},
		{"callback in the main program", func(f *facts) { f.from.object, f.from.name = 1, "" }, "memcpy_from_dm lies in the main program"},
		{"only a read callback", func(f *facts) { f.to = place{} }, "did not set the callback memcpy_to_dm"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := facts{hasContext: true, op: good(0x1100), to: good(0x1200), from: good(0x1300)}
			tt.edit(&f)
			got := distrust(f)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("reason %q, want %q in it", got, tt.want)
			}
		})
	}
}

func TestModeNames(t *testing.T) {
	for m, want := range map[Mode]string{Detached: "detached", Direct4: "direct4", Shim: "shim", Refused: "refused"} {
		if m.String() != want {
			t.Errorf("Mode(%d) is %q, want %q", m, m, want)
		}
	}
}
