package bind

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/spec"
)

const tapModule = `module: tap
header: tap.h
library: libtap.so.1
probe: tap_open
package: tap
import: example.com/tap
prefixes: [tap_, TAP_]
root: Tap
objects:
  tap: []
`

const tapHeader = `#include <stdint.h>
#include <stddef.h>
enum tap_bits { TAP_HOT = 1, TAP_COLD = 2 };
enum tap_mask { TAP_FLOW = 1, TAP_HEAT = 2 };
struct tap { int nr; };
struct tap_attr { uint32_t mask, flow, heat; struct tap *other; };
struct tap_state { uint32_t flow; char name[8]; };
struct tap *tap_open(int nr);
int tap_close(struct tap *tap);
int tap_turn(struct tap *tap, int bits, struct tap_attr *attr);
int tap_read(struct tap *tap, struct tap_state *state);
int tap_pour(struct tap *tap, void *mem, size_t len);
int tap_count(struct tap *tap);
`

const tapPage = `page: tap
title: taps
release: "1.0"
flags:
  TapBits: {enum: tap_bits, prefix: TAP_, doc: what comes out}
records:
  TapAttr:
    c: tap_attr
    role: in
    mask: mask
    new: []
    doc: how a tap is turned
    fields:
      flow: {go: Flow, bit: TAP_FLOW}
      heat: {go: Heat, bit: TAP_HEAT}
      other: {go: Other, handle: Tap}
  TapState: {c: tap_state, role: out, fields: {flow: {go: Flow}, name: {go: Name, text: true}}, doc: what a tap does}
objects:
  Tap: {c: tap, parents: [], destroy: tap_close, getters: {nr: {go: Nr}}, doc: a tap}
verbs:
  tap_open: {returns: null_errno, creates: Tap, doc: opens, params: {nr: {role: in}}, methods: {Lib.Open: {}}}
  tap_close: {returns: errno, doc: closes, params: {tap: {role: handle, type: Tap}}, methods: {}}
  tap_turn:
    returns: errno
    doc: turns
    params: {tap: {role: handle, type: Tap}, bits: {role: flags, type: TapBits}, attr: {role: in_record, type: TapAttr}}
    methods: {Tap.Turn: {}}
  tap_read:
    returns: errno
    doc: reads
    params: {tap: {role: handle, type: Tap}, state: {role: out_record, type: TapState}}
    methods: {Tap.State: {}}
  tap_pour:
    returns: errno
    doc: pours
    params: {tap: {role: handle, type: Tap}, mem: {role: addr, len: len}, len: {role: len}}
    methods: {Tap.Pour: {form: addr}}
  tap_count: {returns: number_minus1, doc: counts, params: {tap: {role: handle, type: Tap}}, methods: {Tap.Count: {}}}
`

// TestMistakes makes one mistake at a time, in the header or on the page of a library, and compares the report.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"none", "", "", ""},
		{"a const struct that is filled", "struct tap_state *state", "const struct tap_state *state",
			"tap_read.state: a parameter of type const struct tap_state * cannot have the role out_record; correct role:"},
		{"flags wider than their parameter", "int bits", "uint8_t bits",
			"tap_turn.bits: it is of type uint8_t, and type: TapBits is for an enum tap_bits or an integer of at least 32 bits; correct type:"},
		{"a short length of memory", "size_t len", "uint32_t len",
			"tap_pour.mem: the length len is of type uint32_t, and len: is for an unsigned integer of 64 bits; correct len:"},
		{"a length of another role", "len: {role: len}", "len: {role: in}", "tap_pour.mem: len: len has the role in; give it the role len"},
		{"another return convention", "int tap_turn", "void tap_turn",
			"tap_turn: a function that returns void does not return errno; correct returns:"},
		{"an object that is not returned", "struct tap *tap_open", "struct tap_attr *tap_open",
			"tap_open: it returns struct tap_attr *, and Tap is a struct tap *; correct creates:"},
		{"a destroyer of two", "int tap_close(struct tap *tap)", "int tap_close(struct tap_attr *tap)",
			"tap_close.tap: it is of type struct tap_attr *, and type: Tap is for a struct tap; correct type:"},
		{"a destroyer that counts", "tap_close: {returns: errno", "tap_close: {returns: number_minus1",
			"Tap: tap_close returns number_minus1, and Close can only call a verb that returns errno, errno_either, minus1_errno or nothing; " +
				"correct destroy:"},
		{"a value too large", "Lib.Open: {}", "Lib.Open: {fixed: {nr: \"4294967296\"}}",
			"Lib.Open: parameter nr cannot be fixed to 4294967296: it is of type int; correct fixed:"},
		{"a value too small", "Lib.Open: {}", "Lib.Open: {fixed: {nr: \"-2147483649\"}}",
			"Lib.Open: parameter nr cannot be fixed to -2147483649: it is of type int; correct fixed:"},
		{"a number fixed to a pointer", "Lib.Open: {}", "Lib.Open: {fixed: {nr: \"NULL\"}}",
			"Lib.Open: parameter nr cannot be fixed to NULL: it is of type int; correct fixed:"},
		{"a handle that is a number", "struct tap *other", "uint64_t other",
			"TapAttr.Other: struct tap_attr.other is of type uint64_t, and handle: Tap is for a struct tap *; correct handle:"},
		{"a divisor that is no number", "name: {go: Name, text: true}", "name: {go: Name, divides: efa}",
			"TapState.Name: divides: is for records of role in, which a verb takes; remove it"},
		{"a text that is a number", "char name[8]", "uint64_t name",
			"TapState.Name: struct tap_state.name is of type uint64_t, and text: true is for an array of char; correct text:"},
		{"a negative flag", "TAP_COLD = 2", "TAP_COLD = -2",
			"TapBits: TAP_COLD is -2, which the Go type cannot have (0 to 4294967295); leave it out by naming the others under members:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := mistakes(t, tt.old, tt.new)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// mistakes replaces a text of the header or the page, and returns what is said of both, a line for each mistake.
func mistakes(t *testing.T, old, new string) string {
	t.Helper()
	dir, header := t.TempDir(), filepath.Join(t.TempDir(), "tap.h")
	if strings.Count(tapHeader+tapPage, old) == 0 {
		t.Fatalf("%q is neither in the header nor on the page", old)
	}
	for name, text := range map[string]string{header: tapHeader, filepath.Join(dir, "tap.yaml"): tapPage, filepath.Join(dir,
		"module.yaml"): tapModule} {
		if old != "" {
			text = strings.Replace(text, old, new, 1)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rel, err := cheader.Parse(cheader.Options{Header: header})
	if err != nil {
		t.Fatal(err)
	}
	sp, err := spec.Embedded("", dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Bind(rel, sp, Options{AllowUndecided: true}); err != nil {
		return err.Error()
	}
	return ""
}
