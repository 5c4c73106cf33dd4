//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// lazyField is a field of a completion of an extended queue: the function that returns it, or the field of struct ibv_cq_ex, and the
// flag with which it is asked for, if it must be.
type lazyField struct {
	c, flag string
	failed  valid
}

// valid says when a field is valid. Of a failed completion that is so for four fields, see ibv_poll_cq(3).
type valid int

const (
	ifSucceeded valid = iota
	always
	ifFailed // and 0 otherwise
)

// lazyFields are those of WCEx, by their names in Go.
var lazyFields = map[string]lazyField{
	"ID":           {"wr_id", "", always},
	"Status":       {"status", "", always},
	"Opcode":       {"ibv_wc_read_opcode", "", ifSucceeded},
	"VendorErr":    {"ibv_wc_read_vendor_err", "", ifFailed},
	"Flags":        {"ibv_wc_read_wc_flags", "", ifSucceeded},
	"ByteLen":      {"ibv_wc_read_byte_len", "IBV_WC_EX_WITH_BYTE_LEN", ifSucceeded},
	"ImmData":      {"ibv_wc_read_imm_data", "IBV_WC_EX_WITH_IMM", ifSucceeded},
	"QPNum":        {"ibv_wc_read_qp_num", "IBV_WC_EX_WITH_QP_NUM", always},
	"SrcQP":        {"ibv_wc_read_src_qp", "IBV_WC_EX_WITH_SRC_QP", ifSucceeded},
	"SLID":         {"ibv_wc_read_slid", "IBV_WC_EX_WITH_SLID", ifSucceeded},
	"CompletionTS": {"ibv_wc_read_completion_ts", "IBV_WC_EX_WITH_COMPLETION_TIMESTAMP", ifSucceeded},
	"WallclockNS":  {"ibv_wc_read_completion_wallclock_ns", "IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK", ifSucceeded},
	"FlowTag":      {"ibv_wc_read_flow_tag", "IBV_WC_EX_WITH_FLOW_TAG", ifSucceeded},
	"CVLAN":        {"ibv_wc_read_cvlan", "IBV_WC_EX_WITH_CVLAN", ifSucceeded},
	"SL":           {"ibv_wc_read_sl", "IBV_WC_EX_WITH_SL", ifSucceeded},
	"TMTag":        {"ibv_wc_read_tm_info.tag", "IBV_WC_EX_WITH_TM_INFO", ifSucceeded},
	"TMPriv":       {"ibv_wc_read_tm_info.priv", "IBV_WC_EX_WITH_TM_INFO", ifSucceeded},
	"DLIDPathBits": {"ibv_wc_read_dlid_path_bits", "IBV_WC_EX_WITH_DLID_PATH_BITS", ifSucceeded},
}

// completion is what C has of one: the numbers in struct ibv_cq_ex and the flags; all else are values of the calls.
type completion struct{ id, status, flags uint64 }

func (c completion) numbers() map[string]uint64 {
	return map[string]uint64{"wr_id": c.id, "status": c.status}
}

// completionsEx are of every kind: with immediate data, with an invalidated key, with neither, and failed between and behind them.
func (b *bed) completionsEx() []completion {
	b.Helper()
	one := func(n uint64, status, flag string) completion {
		return completion{0x1122334455667700 + n, b.constants([]string{status}), b.constants([]string{flag})}
	}
	return []completion{
		one(1, "IBV_WC_SUCCESS", "IBV_WC_WITH_IMM"), one(2, "IBV_WC_REM_ACCESS_ERR", "IBV_WC_WITH_IMM"),
		one(3, "IBV_WC_SUCCESS", "IBV_WC_WITH_INV"),
		one(4, "IBV_WC_SUCCESS", "IBV_WC_GRH"), one(5, "IBV_WC_WR_FLUSH_ERR", "IBV_WC_GRH"),
	}
}

// arrive lets C have completions. The call that asks for one more returns end, unless that is 0.
func (b *bed) arrive(list []completion, end syscall.Errno) {
	verb := "ibv_start_poll"
	for _, c := range list {
		b.rec.Replies(verb, Reply{Numbers: c.numbers()})
		if c.status == 0 {
			b.rec.Replies("ibv_wc_read_wc_flags", Reply{Result: int64(c.flags)})
		}
		verb = "ibv_next_poll"
	}
	if end != 0 {
		b.rec.Replies(verb, Reply{Result: int64(end)})
	}
}

// lazyFlags returns the flags of all fields that readers read.
func lazyFlags() []string {
	var out []string
	for _, f := range lazyFields {
		if f.flag != "" {
			out = append(out, f.flag)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// extended makes a queue that is asked for fields.
func (b *bed) extended(fields uint64) (*verbs.CQ, uint64) {
	b.Helper()
	cq := must(b.dev.CreateCQEx(verbs.NewCQInitAttrEx(16, verbs.WCField(fields))))(b.TB)
	return cq, b.last("ibv_create_cq_ex").Result
}

// TestReaders reads completions with every set of fields: each call's value comes out in its own field of its own completion, of failed
// ones only what is valid is read, and what was not asked for is not.
func TestReaders(t *testing.T) {
	b := open(t)
	if n := reflect.TypeFor[verbs.WCEx]().NumField(); n != len(lazyFields) {
		t.Errorf("WCEx has %d fields, this table %d", n, len(lazyFields))
	}
	flags := lazyFlags()
	b.rec.Fill("ibv_wc_read_tm_info", Own, All)
	for _, e := range b.facts.Enum("ibv_create_cq_wc_flags").Enumerators {
		if !slices.Contains(flags, e.Name) {
			t.Errorf("no reader reads %s", e.Name)
		}
	}
	cq, at := b.extended(b.constants(flags))
	for set := range 1 << len(flags) {
		var asked []string
		for i, flag := range flags {
			if set>>i&1 != 0 {
				asked = append(asked, flag)
			}
		}
		b.readSet(cq, at, asked)
		if t.Failed() {
			t.Fatalf("asked for %v", asked)
		}
	}
}

// readAll reads with all fields from a queue of its own.
func (b *bed) readAll() {
	b.Helper()
	cq, at := b.extended(b.constants(lazyFlags()))
	b.readSet(cq, at, lazyFlags())
}

// untouched is what every byte of a completion is before it is read.
const untouched = 0xa5

func untouchedWCs(n int) []verbs.WCEx {
	wcs := make([]verbs.WCEx, n)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(wcs))), n*int(unsafe.Sizeof(wcs[0])))
	for i := range raw {
		raw[i] = untouched
	}
	return wcs
}

// readSet reads all completions with a reader of the fields asked for, and compares them with the calls.
func (b *bed) readSet(cq *verbs.CQ, at uint64, asked []string) {
	b.Helper()
	reader := must(cq.Reader(verbs.WCField(b.constants(asked))))(b.TB)
	come := b.completionsEx()
	b.arrive(come, syscall.ENOENT)
	must(b.rec.Calls())(b.TB)
	wcs := untouchedWCs(len(come) + 1)
	if n, err := reader.PollInto(wcs); n != len(come) || err != nil {
		b.Errorf("PollInto = %d, %v", n, err)
		return
	}
	if wcs[len(come)] != untouchedWCs(1)[0] {
		b.Errorf("beyond the completions: %+v", wcs[len(come)])
	}
	reads, said := b.readsOf(at, syscall.ENOENT)
	if said != "" || len(reads) != len(come) {
		b.Errorf("C saw %d completions read, not %d: %s", len(reads), len(come), said)
		return
	}
	b.distinct(reads)
	for i, c := range come {
		b.compareWC(wcs[i], c, reads[i], asked)
	}
}

// reads are the calls for one completion, with their results; of a function that fills a struct also the members.
type reads map[string]uint64

// filled is the result of such a function.
const filled = 1

// readsOf returns the calls for each completion since calls were taken, and what is wrong with their order.
func (b *bed) readsOf(at uint64, end syscall.Errno) (out []reads, said string) {
	b.Helper()
	calls := must(b.rec.Calls())(b.TB)
	ended := false
	for i, c := range calls {
		if c.In["cq"] != fmt.Sprint(at) {
			return out, fmt.Sprintf("%s has the queue %s, not %d", c.Verb, c.In["cq"], at)
		}
		first := i == 0
		switch {
		case ended:
			return out, c.Verb + " after ibv_end_poll"
		case first != (c.Verb == "ibv_start_poll"):
			return out, fmt.Sprintf("call %d is %s", i, c.Verb)
		case first && !zero(c.In["attr.comp_mask"]):
			return out, "ibv_start_poll has a mask"
		case first || c.Verb == "ibv_next_poll":
			if c.Result == 0 {
				out = append(out, reads{})
			} else if c.Result != uint64(end) {
				return out, fmt.Sprintf("%s returned %d", c.Verb, c.Result)
			}
		case c.Verb == "ibv_end_poll":
			ended = true
		default:
			last := out[len(out)-1]
			if _, twice := last[c.Verb]; twice {
				return out, c.Verb + " was called twice"
			}
			last[c.Verb] = c.Result
			if len(c.Out) == 0 {
				continue
			}
			last[c.Verb] = filled
			for _, path := range slices.Sorted(maps.Keys(c.Out)) {
				_, member, _ := strings.Cut(path, ".")
				last[c.Verb+"."+member] = must(Number(c.Out, path))(b.TB)
			}
		}
	}
	if began := len(out) > 0; began != ended {
		return out, fmt.Sprintf("reading began: %v, and ended: %v", began, ended)
	}
	return out, ""
}

// distinct holds the recording library to values that no two calls share.
func (b *bed) distinct(list []reads) {
	b.Helper()
	seen := map[uint64]string{}
	for _, r := range list {
		for verb, v := range r {
			if verb == "ibv_wc_read_wc_flags" || v == filled || strings.Contains(verb, ".") { // the members are the same in all calls
				continue
			}
			if seen[v] != "" || v == 0 {
				b.Errorf("%s returned %d, and %s did too", verb, v, seen[v])
			}
			seen[v] = verb
		}
	}
}

// compareWC holds what Go shows of a completion, and the calls that were made for it, against what C had.
func (b *bed) compareWC(wc verbs.WCEx, c completion, made reads, asked []string) {
	b.Helper()
	for name, f := range lazyFields {
		got := reflect.ValueOf(wc).FieldByName(name).Uint()
		result, called := made[f.c]
		delete(made, f.c)
		reads := f.flag == "" || slices.Contains(asked, f.flag)
		isValid := f.failed == always || (f.failed == ifSucceeded) == (c.status == 0)
		want := uint64(0)
		switch {
		case c.numbers()[f.c] != 0 || f.c == "status":
			want, called = c.numbers()[f.c], true
		case reads && isValid:
			want = result
		case !reads && c.status == 0:
			want = uint64(untouched) * 0x0101010101010101 >> (64 - 8*reflect.TypeOf(wc).FieldByIndex(indexOf(name)).Type.Size())
		}
		if name == "ImmData" && called && c.flags != b.constants([]string{"IBV_WC_WITH_IMM"}) {
			want = uint64(bits.ReverseBytes32(uint32(want))) // a key is recorded as if it were in network order too
		}
		if called != (reads && isValid) {
			b.Errorf("status %d: %s is called: %v, asked for %v", c.status, f.c, called, asked)
		}
		if got != want {
			b.Errorf("status %d: WCEx.%s is %#x, not %#x; %s returned %#x%s", c.status, name, got, want, f.c, result, made.with(got))
		}
	}
	for verb, result := range made {
		if result == filled && contains(asked, verb) {
			continue
		}
		b.Errorf("%s is called, which this table does not have", verb)
	}
}

// contains reports whether a field that was asked for is a member of what a function fills.
func contains(asked []string, function string) bool {
	for _, f := range lazyFields {
		if strings.HasPrefix(f.c, function+".") && slices.Contains(asked, f.flag) {
			return true
		}
	}
	return false
}

func indexOf(name string) []int {
	f, _ := reflect.TypeFor[verbs.WCEx]().FieldByName(name)
	return f.Index
}

// with says which of the calls returned a value.
func (r reads) with(v uint64) string {
	for verb, result := range r {
		if result == v {
			return ", and " + verb + " returned that"
		}
	}
	return ""
}

// TestReadersEnd ends reading after what was begun, and only that; without room for more it does not go on.
func TestReadersEnd(t *testing.T) {
	b := open(t)
	cq, at := b.extended(0)
	reader := must(cq.Reader(0))(t)
	come := b.completionsEx()
	for _, tt := range []struct {
		come, room int
		end        syscall.Errno
		calls      string
	}{
		{0, 3, syscall.ENOENT, "start"},
		{0, 3, syscall.EBUSY, "start"},
		{1, 3, syscall.ENOENT, "start next end"},
		{1, 3, syscall.EBUSY, "start next end"},
		{2, 3, syscall.EIO, "start next next end"},
		{1, 1, 0, "start end"},
		{3, 3, 0, "start next next end"},
	} {
		b.arrive(come[:tt.come], tt.end)
		must(b.rec.Calls())(t)
		n, err := reader.PollInto(make([]verbs.WCEx, tt.room))
		failed := tt.end != 0 && tt.end != syscall.ENOENT
		if n != tt.come || failed != (err != nil) || failed && !errors.Is(err, tt.end) {
			t.Errorf("%+v: PollInto = %d, %v", tt, n, err)
		}
		var names []string
		for _, c := range must(b.rec.Calls())(t) {
			if c.Verb == "ibv_query_device_ex" && tt.end == syscall.EIO { // is the device there?
				continue
			}
			if c.In["cq"] != fmt.Sprint(at) {
				t.Errorf("%s has the queue %s, not %d", c.Verb, c.In["cq"], at)
			}
			if name, ok := strings.CutSuffix(c.Verb, "_poll"); ok {
				names = append(names, strings.TrimPrefix(name, "ibv_"))
			}
		}
		if got := strings.Join(names, " "); got != tt.calls {
			t.Errorf("%+v: C sees %s", tt, got)
		}
	}
}

// real is a library that has a path, as those that are loaded have.
type real struct{ verbs.Symbols }

func (real) Path() string { return "/nowhere/libibverbs.so.1" }

// TestReadersOfRXE end the reading after each entry on soft-RoCE, by the device's name or by a file of sysfs, and on no other device.
func TestReadersOfRXE(t *testing.T) {
	b := open(t)
	for _, singly := range []bool{true, false} {
		sysfs := t.TempDir()
		t.Setenv("SYSFS_PATH", sysfs)
		lib := must(verbs.LoadFrom(real{b.rec}))(t)
		b.rec.Fill("", Own, All)
		name := must(lib.Devices())(t)[0].Name
		dev := must(lib.OpenDevice(name))(t)
		b.rec.Fill("", AsIs, All)
		if dir := sysfs + "/class/infiniband/" + name; singly {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+"/parent", []byte("eth0\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		all := b.constants([]string{"IBV_WC_EX_WITH_BYTE_LEN", "IBV_WC_EX_WITH_COMPLETION_TIMESTAMP"})
		cq := must(dev.CreateCQEx(verbs.NewCQInitAttrEx(16, verbs.WCField(all))))(t)
		for _, fields := range []verbs.WCField{0, verbs.WCFieldByteLen, verbs.WCField(all)} {
			b.readsSingly(must(cq.Reader(fields))(t), singly)
		}
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	}
}

// readsSingly reads two entries into a longer list, and into one that they fill.
func (b *bed) readsSingly(r *verbs.CQReader, singly bool) {
	b.Helper()
	come := b.completionsEx()[:2]
	for _, room := range []int{3, 2} {
		next, calls := "ibv_next_poll", "start next next end"
		if singly {
			next, calls = "ibv_start_poll", "start end start end start"
		}
		end := Reply{Result: int64(syscall.ENOENT)}
		b.rec.Replies("ibv_start_poll", Reply{Numbers: come[0].numbers()})
		b.rec.Replies(next, Reply{Numbers: come[1].numbers()})
		if room == 3 {
			b.rec.Replies(next, end)
		} else {
			calls = map[bool]string{true: "start end start end", false: "start next end"}[singly]
		}
		must(b.rec.Calls())(b.TB)
		wcs := make([]verbs.WCEx, room)
		if n, err := r.PollInto(wcs); n != 2 || err != nil || wcs[0].ID != come[0].id || wcs[1].ID != come[1].id {
			b.Errorf("singly %t: PollInto = %d, %v: %+v", singly, n, err, wcs)
		}
		if got := b.polls(); got != calls {
			b.Errorf("singly %t, room for %d: C sees %s", singly, room, got)
		}
	}
}

// polls lists the calls that began, went on and ended reading.
func (b *bed) polls() string {
	var names []string
	for _, c := range must(b.rec.Calls())(b.TB) {
		if name, ok := strings.CutSuffix(c.Verb, "_poll"); ok {
			names = append(names, strings.TrimPrefix(name, "ibv_"))
		}
	}
	return strings.Join(names, " ")
}
