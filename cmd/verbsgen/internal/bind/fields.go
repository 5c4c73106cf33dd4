package bind

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
)

// taken reports whether a record is a Go type of the generated package that verbs take.
func taken(r *spec.Record) bool { return r.Role == spec.RecordIn && r.Runtime == "" }

// recordKeys checks the keys of a record: those that its role has no use for, and those that exclude each other.
func (b *binder) recordKeys(r *spec.Record) {
	e, arm, tail := entry{r.Go, r.At}, orZero(r.Arm), orZero(r.Tail)
	builder, pointed := taken(r) && !r.Plain(), r.Arm != nil && b.pointed[arm.Of]
	b.wrong(e,
		row{(r.Arm != nil || r.Tail != nil) && !taken(r) || r.Arm != nil && r.Tail != nil, "",
			"arm: and tail: are for records of role in, and exclude each other", "keep one of them, or correct role:"},
		row{r.Tail != nil && !b.arms[tail.Of], "", "tail: no record has arm: of " + tail.Of, "correct of:"},
		row{r.Arm != nil && !pointed && !b.tailed[arm.Of] && arm.Tag != "" && arm.Size != "", "",
			"arm: no record has tail: or points: of " + arm.Of, "correct type:, or remove arm:"},
		row{r.Arm != nil && !pointed && (arm.Tag == "" || arm.Size == ""), "",
			"arm: needs tag: and size:, because no record has points: " + arm.Of, "name both, or correct type:"},
		row{pointed && arm.Tag+arm.Size != "", "", "arm: tag: and size: belong to the struct that points to this one", "remove them"},
		row{pointed && (!r.Plain() || holds(r) >= holdsPointers), "",
			"an arm that another record points to has no mask, handles, pointers and memory of its own", "take them out"},
		row{r.Mask != "" && r.MaskParam != "", "mask_param", "mask: and mask_param: exclude each other", "keep one of them"},
		row{len(r.CapsFrom) > 0 && r.Mask == "", "",
			"a record with caps_from: needs mask:, which shows whether the device returned its capabilities", "name the mask under mask:"},
		row{len(r.New) > 0 && !builder, "new", "new: is for a record of role in with a mask, which has a builder",
			"remove it, or name the mask under mask:"},
		row{len(r.Switches) > 0 && !builder && (!taken(r) || arm.Tag == ""), "",
			"switches: is for a record of role in with a mask, or with the tag of an arm, where the bits are set",
			"remove it, or name the mask under mask:"})
	for _, mask := range []string{"comp_mask", "attr_mask"} { // as C calls the masks of fields
		if _, has := b.fieldType(r.C, mask); has && r.Plain() {
			b.wrong(e, row{true, "", "struct " + r.C + " has the mask " + mask + ", and the record has none", "write mask: " + mask})
		}
	}
}

// fieldKeys checks the keys of a field that need others, or exclude them.
func (b *binder) fieldKeys(r *spec.Record, f *spec.RecordField) {
	nested, typed, to := b.RecordByGo(f.Nested), b.RecordByGo(f.Type), b.RecordByGo(f.Points)
	list, arms := f.Bytes || f.Handles != "" || f.Points != "", f.Points != "" && to == nil
	memory, allocator := f.Callback == spec.CallbackMemory, f.Callback == spec.CallbackAllocator
	constant := b.facts.EnumOf(f.Default)
	ctype, _ := b.fieldType(r.C, f.C)
	counted := f.Bytes && ctype.Counted() != nil
	other := strings.Contains(f.Handle, ".")
	b.wrong(entry{r.Go + "." + f.Go, f.At},
		row{strings.Contains(f.Handles, "."), "handles", "handles: of another module are not generated yet",
			"leave the field out, with a reason under hide:"},
		row{other && (!taken(r) || r.Arm != nil), "handle", "a handle of another module is for records of role in, which a verb takes",
			"correct handle:, or role:"},
		row{f.C == r.Mask && taken(r), "", "the mask of the record is set by its builder, and is shown too", "remove one of them"},
		row{f.Bit != "" && r.Mask+r.MaskParam == "", "bit",
			"the record has neither mask: nor mask_param:, where the bit would be set", "name one, or remove bit:"},
		row{f.Hex && (f.Bool || f.Text || f.Handle+f.Nested+f.Handles+f.Points != ""), "hex", "hex: is for numbers", "remove it"},
		row{f.Text && taken(r), "text", "text: is for records that a verb fills", "remove it: the field is an array of bytes then"},
		row{f.Divides != "" && !taken(r), "divides", "divides: is for records of role in, which a verb takes", "remove it"},
		row{f.Queueless != "" && !taken(r), "queueless", "queueless: is for records of role in, which a verb takes", "remove it"},
		row{f.Queueless != "" && (f.Queueless == spec.QueuelessGiven) != (f.Handle != ""), "queueless",
			"queueless: given is for a handle, and a constant for a number", "correct it"},
		row{f.Log2 && f.Handles == "", "log2", "log2: is for the length of handles:", "remove it"},
		row{f.Tag != "" && !arms || f.Len != "" && to != nil, "tag", "tag: and len: are for points: to one of several records", "remove them"},
		row{arms && f.Tag == "", "points", "it needs the field that says which of several records it points to", "name it under tag:"},
		row{arms && !b.arms[f.Points], "points", "there is no record " + f.Points + ", and no arm: has type: of it", ""},
		row{f.Handles != "" && (!taken(r) || r.Arm != nil), "handles", "handles: is for records of role in, which a verb takes",
			"remove it, or correct role:"},
		row{f.Points != "" && !taken(r), "points", "points: is for records of role in", "remove it, or correct role:"},
		row{to != nil && (!to.Plain() || holds(to) >= holdsHandles), "points",
			"points: is for a record of role in without a mask, handles and memory", ""},
		row{counted && (!taken(r) || r.Arm != nil), "bytes",
			"bytes: of a struct that counts them is for records of role in, which a verb takes", "correct role:"},
		row{counted && f.Len != "", "len", "the struct behind the pointer has the length", "remove it"},
		row{(f.Bytes && !counted || f.Handles != "" || arms) && f.Len == "", "", "it needs a field with the length, an unsigned integer",
			"name it under len:"},
		row{nested != nil && (r.Role != spec.RecordIn || !nested.Plain() || holds(nested) >= holdsPointers), "nested",
			"nested: is for a record of role in without a mask, handles, pointers and memory, inside of another of that role",
			"correct nested:, or show its fields with dots"},
		row{typed != nil && (typed.Role != spec.RecordOut && !handsOn(typed) || r.Role != spec.RecordOut && r.Role != spec.RecordEvent), "type",
			"type: names a record, which is for one that a verb fills, inside of another of role out", "write nested:, or correct role:"},
		row{f.Callback != "" && r.Plain(), "callback", "callback: is for a record with a mask, which has a builder", "name the mask under mask:"},
		row{!list && memory != (f.Len != ""), "callback", "callback: memory and len: go together",
			"name the field with the length of the memory under len:"},
		row{allocator != (f.Pair != "" && f.Default != ""), "callback", "callback: allocator goes with pair: and default:",
			"name the function that frees, and the constant that leaves a request to the library"},
		row{constant != nil, "default", f.Default + " is of " + orZero(constant).Tag + ", and default: names an address", ""})
}

// fieldTypes compares the C type of a field, and those of the fields beside it, with what the keys are for.
func (b *binder) fieldTypes(r *spec.Record, f *spec.RecordField) {
	given := map[bool]string{true: "true"}
	long := number
	if f.Callback == spec.CallbackMemory {
		long = length
	}
	for _, k := range []struct {
		key, value, path string
		want             shape
	}{
		{"handle", f.Handle, f.C, b.pointers(f.Handle, 1)},
		{"handles", f.Handles, f.C, b.pointers(f.Handles, 2)},
		{"points", f.Points, f.C, b.behind(f.Points)},
		{"nested", f.Nested, f.C, inside("struct", orZero(b.RecordByGo(f.Nested)).C)},
		{"type", f.Type, f.C, b.named(f.Type)},
		{"text", given[f.Text], f.C, text},
		{"order", f.Order, f.C, ordered},
		{"divides", f.Divides, f.C, number},
		{"bool", given[f.Bool], f.C, truth},
		{"bytes", given[f.Bytes], f.C, bytes},
		{"callback", f.Callback, f.C, pointer},
		{"len", f.Len, f.Len, long},
		{"tag", f.Tag, f.Tag, integer},
		{"pair", f.Pair, f.Pair, function},
	} {
		if t, ok := b.fieldType(r.C, k.path); ok && k.value != "" {
			b.shaped(entry{r.Go + "." + f.Go, f.At}, k.key, k.value, "struct "+r.C+"."+k.path, t, k.want)
		}
	}
}

// What the fields of a record hold beside numbers and text, the more the higher.
const (
	holdsBytes = iota + 1
	holdsPointers
	holdsHandles // or memory, callbacks, a tail, bytes behind a struct that counts them
)

// holds is the most that a field of a record holds; 0 for one of numbers and text.
func holds(r *spec.Record) (most int) {
	for _, f := range r.Fields {
		switch {
		case f.Handle+f.Handles+f.Callback != "", r.Tail != nil, f.Bytes && f.Len == "":
			return holdsHandles
		case f.Points != "":
			most = max(most, holdsPointers)
		case f.Bytes:
			most = max(most, holdsBytes)
		}
	}
	return most
}

// bit is an enumerator that is a bit of a mask, and what it is a bit for.
type bit struct {
	c  string
	of entry
}

// maskBits compares the bits of the mask of a record with what it can hold.
func (b *binder) maskBits(r *spec.Record, most *big.Int) {
	var bits []bit
	for i := range r.Fields {
		f := &r.Fields[i]
		bits = append(bits, bit{f.Bit, entry{r.Go + "." + f.Go, f.At}})
	}
	for _, s := range r.Switches {
		bits = append(bits, bit{s.C, entry{r.Go + "." + s.Go, r.At}.on(s.Pos)})
	}
	for _, x := range bits {
		if v := b.facts.Const(x.c); v != nil && (v.Sign() < 0 || v.Cmp(most) > 0) {
			b.mismatch(diag.ValueRange, x.of.at("bit", ""), x.of.name, fmt.Sprintf("its bit %s is %d, and the mask is at most %d", x.c, v, most),
				"correct bit:")
		}
	}
	b.sameEnum(bits, "of the record")
}

// sameEnum reports bits that are of another enum than most of them; of two equals the first counts.
func (b *binder) sameEnum(bits []bit, of string) {
	most, count := "", map[string]int{}
	tag := func(x bit) string { return orZero(b.facts.EnumOf(x.c)).Tag }
	for _, x := range bits {
		count[tag(x)]++
	}
	count[""] = 0
	for _, x := range bits {
		if count[tag(x)] > count[most] {
			most = tag(x)
		}
	}
	for _, x := range bits {
		b.wrong(x.of, row{tag(x) != "" && tag(x) != most, "bit",
			"its bit " + x.c + " is of " + tag(x) + ", and the other bits " + of + " are of " + most, "write a member of " + most})
	}
}
