//go:build linux && cgo

package recording

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/spec"
)

// The data path is not generated from the pages, so what its methods mean is written down here.

// wrMethod is a method of a request: the request that it adds to, its opcode, and the field of each number it takes, in order.
type wrMethod struct {
	begin  string
	opcode string
	fields []string
}

var sendMethods = map[string]wrMethod{
	"Send":     {"", "IBV_WR_SEND", []string{"wr_id"}},
	"SendImm":  {"", "IBV_WR_SEND_WITH_IMM", []string{"wr_id", "imm_data"}},
	"Write":    {"", "IBV_WR_RDMA_WRITE", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey"}},
	"WriteImm": {"", "IBV_WR_RDMA_WRITE_WITH_IMM", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey", "imm_data"}},
	"Read":     {"", "IBV_WR_RDMA_READ", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey"}},
	"CompareSwap": {"", "IBV_WR_ATOMIC_CMP_AND_SWP",
		[]string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey", "wr.atomic.compare_add", "wr.atomic.swap"}},
	"FetchAdd": {"", "IBV_WR_ATOMIC_FETCH_AND_ADD", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey", "wr.atomic.compare_add"}},
	"SendInv":  {"", "IBV_WR_SEND_WITH_INV", []string{"wr_id", "invalidate_rkey"}},
	"LocalInv": {"", "IBV_WR_LOCAL_INV", []string{"wr_id", "invalidate_rkey"}},
	"Flush": {"", "IBV_WR_FLUSH", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey", "wr.atomic.compare_add",
		"invalidate_rkey", "wr.atomic.swap"}},
	"AtomicWrite": {"", "IBV_WR_ATOMIC_WRITE", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey", "wr.atomic.compare_add"}},
	"SendTSO":     {"", "IBV_WR_TSO", []string{"wr_id", "wr.atomic.rkey", "invalidate_rkey"}},
	"SGE":         {"Send", "IBV_WR_SEND", []string{"sg_list[0].addr", "sg_list[0].length", "sg_list[0].lkey"}},
	"Add":         {"Send", "IBV_WR_SEND", []string{"sg_list[0].addr", "sg_list[0].length", "sg_list[0].lkey"}},
	"Flags":       {"Send", "IBV_WR_SEND", []string{"send_flags"}},
	"SetID":       {"Send", "IBV_WR_SEND", []string{"wr_id"}},
	"SetFlags":    {"Send", "IBV_WR_SEND", []string{"send_flags"}},
	"SetImm":      {"SendImm", "IBV_WR_SEND_WITH_IMM", []string{"imm_data"}},
	"SetRemote":   {"Write", "IBV_WR_RDMA_WRITE", []string{"wr.rdma.remote_addr"}},
	"SetRKey":     {"Write", "IBV_WR_RDMA_WRITE", []string{"wr.rdma.rkey"}},
	"ToSRQ":       {"Send", "IBV_WR_SEND", []string{"qp_type.xrc.remote_srqn"}},
	"To":          {"Send", "IBV_WR_SEND", []string{"", "wr.ud.remote_qpn", "wr.ud.remote_qkey"}},
}

var recvMethods = map[string]wrMethod{
	"Recv":  {"", "", []string{"wr_id"}},
	"SGE":   {"Recv", "", []string{"sg_list[0].addr", "sg_list[0].length", "sg_list[0].lkey"}},
	"Add":   {"Recv", "", []string{"sg_list[0].addr", "sg_list[0].length", "sg_list[0].lkey"}},
	"SetID": {"Recv", "", []string{"wr_id"}},
}

// others are methods that set no field by a number of their own.
var others = map[string]string{
	"Opcode": "reads", "SGEs": "reads", "SetAddr": "TestSend of runtime/gensupport/dpath", "InlineData": "TestInlineData there",
}

// wrCall begins a request and calls a method with a value of its own for each number, from n on; it gives what C must see.
func wrCall(t testing.TB, methods map[string]wrMethod, wr reflect.Value, name string, n *int, ah uintptr) map[string]string {
	t.Helper()
	m := methods[name]
	want := map[string]string{}
	if m.begin != "" {
		want = wrCall(t, methods, wr, m.begin, n, ah)
	}
	fn := wr.MethodByName(name)
	var args, numbers []reflect.Value
	for i := range fn.Type().NumIn() {
		arg := reflect.New(fn.Type().In(i)).Elem()
		args = append(args, arg)
		if arg.Kind() == reflect.Struct {
			for j := range arg.NumField() {
				numbers = append(numbers, arg.Field(j))
			}
		} else {
			numbers = append(numbers, arg)
		}
	}
	if len(numbers) != len(m.fields) {
		t.Fatalf("%s takes %d numbers, this table has %d", name, len(numbers), len(m.fields))
	}
	for i, v := range numbers {
		if m.fields[i] == "" {
			v.Set(reflect.ValueOf(pointer(ah)))
			want["wr.ud.ah"] = fmt.Sprint(ah)
			continue
		}
		*n++
		if v.Kind() == reflect.Slice { // the header of a TSO, of which its length is seen
			v.SetBytes(make([]byte, *n%64+1))
			want[m.fields[i]] = fmt.Sprint(v.Len())
			continue
		}
		x, w, err := scalar(v.Type(), *n, 0)
		if err != nil {
			t.Fatal(err)
		}
		v.Set(x)
		want[m.fields[i]] = w.text
	}
	fn.Call(args)
	if m.opcode == "IBV_WR_TSO" { // where its header was copied to
		want["wr.atomic.swap"] = fmt.Sprint(wr.FieldByName("r").Elem().FieldByName("Swap").Uint())
	}
	return want
}

// pointer returns the pointer for an address of C. It reads the number as a pointer, since go vet knows no addresses but Go's.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// compareWR holds a recorded request against what was set.
func (b *bed) compareWR(name, tag, at string, recorded map[string]string, want map[string]string) {
	b.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got := recorded[at+"."+path]; got != want[path] {
			b.Errorf("%s: C sees %s.%s = %s, not %s", name, at, path, got, want[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(recorded)) {
		inner, mine := strings.CutPrefix(path, at+".")
		if !mine || zero(recorded[path]) || strings.HasSuffix(inner, "sg_list") || strings.HasPrefix(inner, "next") || want[inner] != "" {
			continue
		}
		if !b.covered(tag, inner, want) && !b.private(name, inner) {
			b.Errorf("%s: C sees %s = %s, which nobody set", name, path, recorded[path])
		}
	}
}

// covered reports whether a field lies in the memory of one that was set.
func (b *bed) covered(tag, path string, set map[string]string) bool {
	from, size := b.place(tag, path)
	for s := range set {
		if at, n := b.place(tag, s); at < from+size && from < at+n {
			return true
		}
	}
	return false
}

// wrMethods returns the names of the methods to test, and fails for those that no table has.
func wrMethods(t testing.TB, of reflect.Type, methods map[string]wrMethod) []string {
	t.Helper()
	var names []string
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		_, known := methods[name]
		switch {
		case known:
			names = append(names, name)
		case others[name] == "":
			t.Errorf("%s.%s is in no table of this test", of, name)
		}
	}
	for name := range methods {
		if !slices.Contains(names, name) {
			t.Errorf("%s has no method %s", of, name)
		}
	}
	return names
}

// TestSendRequests posts a request made by each method of SendWR, with another behind it.
func TestSendRequests(t *testing.T) { open(t).sendRequests() }

func (b *bed) sendRequests() {
	t := b.TB
	v, qpAt := b.handle("QP")
	qp := v.Interface().(*verbs.QP)
	a, ahAt := b.handle("AH")
	ah := a.Interface().(*verbs.AH)
	for _, name := range append(wrMethods(t, reflect.TypeFor[verbs.SendWR](), sendMethods), "AH.Address") {
		batch := must(verbs.NewSendBatch(2, 2, verbs.InlineRoom(64)))(t)
		n := 0
		var want [2]map[string]string
		for i := range want {
			if name == "AH.Address" {
				want[i] = wrCall(t, sendMethods, reflect.ValueOf(batch.WR(i)), "Send", &n, 0)
				want[i]["wr.ud.ah"], want[i]["wr.ud.remote_qpn"], want[i]["wr.ud.remote_qkey"] = fmt.Sprint(ahAt), "4660", "22136"
				if err := ah.Address(batch.WR(i), 0x1234, 0x5678); err != nil {
					t.Fatal(err)
				}
			} else {
				want[i] = wrCall(t, sendMethods, reflect.ValueOf(batch.WR(i)), name, &n, uintptr(ahAt))
			}
			opcode := sendMethods[strings.TrimPrefix(name, "AH.Address")].opcode
			want[i]["opcode"] = fmt.Sprint(b.constants([]string{first(opcode, "IBV_WR_SEND")}))
			want[i]["num_sge"] = fmt.Sprint(strings.Count(fmt.Sprint(want[i]), ".lkey"))
		}
		b.setType(qpAt, typeOf(name))
		must(qp.PostSend(batch, 2))(t)
		got := b.last("ibv_post_send").In
		b.compareWR(name, "struct ibv_send_wr", "wr", got, want[0])
		b.compareWR(name+", second", "struct ibv_send_wr", "wr.next[0]", got, want[1])
		if got["wr.next[0].next"] != "0" {
			t.Errorf("%s: the chain goes on behind the last request", name)
		}
	}
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// TestReceiveRequests posts a request made by each method of RecvWR, with another behind it, to every kind of queue.
func TestReceiveRequests(t *testing.T) { open(t).receiveRequests() }

func (b *bed) receiveRequests() {
	b.Helper()
	kinds := 0
	for v := range b.spec.Verbs() {
		for _, m := range v.Methods {
			if written[m.Go] == "TestReceiveRequests" {
				b.receiveOn(v, m.Go)
				kinds++
			}
		}
	}
	if kinds == 0 {
		b.Error("no method of the pages posts receives")
	}
}

// receiveOn posts with a method of a queue.
func (b *bed) receiveOn(verb *spec.Verb, method string) {
	b.Helper()
	of, name, _ := strings.Cut(method, ".")
	v, at := b.handle(of)
	post, ok := v.MethodByName(name).Interface().(func(*verbs.RecvBatch, int) (int, error))
	if !ok {
		b.Fatalf("%s does not post a batch", method)
	}
	queue, wr := verb.Params[0].C, verb.Params[1].C
	for _, name := range wrMethods(b.TB, reflect.TypeFor[verbs.RecvWR](), recvMethods) {
		batch := must(verbs.NewRecvBatch(2, 2))(b.TB)
		n := 0
		var want [2]map[string]string
		for i := range want {
			want[i] = wrCall(b.TB, recvMethods, reflect.ValueOf(batch.WR(i)), name, &n, 0)
			want[i]["num_sge"] = fmt.Sprint(strings.Count(fmt.Sprint(want[i]), ".lkey"))
		}
		must(post(batch, 2))(b.TB)
		got := b.last(functionOf(verb.C)).In
		if got[queue] != fmt.Sprint(at) {
			b.Errorf("%s: C sees the queue %s, not %d", method, got[queue], at)
		}
		b.compareWR(method+", "+name, "struct ibv_recv_wr", wr, got, want[0])
		b.compareWR(method+", "+name+", second", "struct ibv_recv_wr", wr+".next[0]", got, want[1])
	}
}

// wcFields are the fields of a completion.
var wcFields = map[string]string{
	"ID": "wr_id", "Status": "status", "Opcode": "opcode", "VendorErr": "vendor_err", "ByteLen": "byte_len", "ImmData": "imm_data",
	"QPNum": "qp_num", "SrcQP": "src_qp", "Flags": "wc_flags", "PKeyIndex": "pkey_index", "SLID": "slid", "SL": "sl",
	"DLIDPathBits": "dlid_path_bits",
}

// TestCompletions polls completions with a value of its own in every field, and in one after the other.
func TestCompletions(t *testing.T) { open(t).completions() }

func (b *bed) completions() {
	t := b.TB
	v, _ := b.handle("CQ")
	cq := v.Interface().(*verbs.CQ)
	for field := All; b.polled(cq, field); field++ {
	}
	for _, flag := range []string{"IBV_WC_WITH_IMM", "IBV_WC_WITH_INV"} {
		b.rec.Set("ibv_poll_cq", "wc_flags", b.constants([]string{flag}))
		b.polled(cq, All)
	}
	b.rec.Set("ibv_poll_cq", "", 0)
	if n := reflect.TypeFor[verbs.WC]().NumField(); n != len(wcFields) {
		t.Errorf("WC has %d fields, this table %d", n, len(wcFields))
	}
}

// polled polls completions that C fills with a field, or with all, and compares them. It is false when C had no such field.
func (b *bed) polled(cq *verbs.CQ, field int) (any bool) {
	b.Helper()
	const n = 2
	b.rec.Result("ibv_poll_cq", n)
	b.rec.Fill("ibv_poll_cq", Own, field)
	wcs := make([]verbs.WC, n+1)
	if got := must(cq.PollInto(wcs))(b.TB); got != n {
		b.Fatalf("%d completions", got)
	}
	out := b.last("ibv_poll_cq").Out
	for i := range wcs[:n] {
		var values []result
		for name, c := range wcFields {
			if name == "ImmData" && wcs[i].Flags&verbs.WCFlagWithImm == 0 {
				c = "invalidated_rkey"
			}
			values = append(values, result{"WC." + name, fmt.Sprintf("wc[%d].%s", i, c), reflect.ValueOf(wcs[i]).FieldByName(name)})
		}
		b.compareResults(values, out)
	}
	if wcs[n] != (verbs.WC{}) {
		b.Errorf("a completion beyond the number that C gave: %+v", wcs[n])
	}
	for _, text := range out {
		any = any || !zero(text)
	}
	return any
}
