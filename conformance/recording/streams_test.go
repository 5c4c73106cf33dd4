//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// command is a function that builds a request in a stream, or gives it more: its arguments behind the queue pair, and of which field of
// the request each is.
type command struct {
	function string
	flag     string // of ibv_qp_create_send_ops_flags
	args     map[string]string
	noData   bool
}

// builders are those that build, by the method of SendWR.
var builders = map[string]command{
	"Send":    {"ibv_wr_send", "IBV_QP_EX_WITH_SEND", nil, false},
	"SendImm": {"ibv_wr_send_imm", "IBV_QP_EX_WITH_SEND_WITH_IMM", map[string]string{"imm_data": "imm_data"}, false},
	"SendInv": {"ibv_wr_send_inv", "IBV_QP_EX_WITH_SEND_WITH_INV", map[string]string{"invalidate_rkey": "invalidate_rkey"}, false},
	"Write": {"ibv_wr_rdma_write", "IBV_QP_EX_WITH_RDMA_WRITE",
		map[string]string{"rkey": "wr.rdma.rkey", "remote_addr": "wr.rdma.remote_addr"}, false},
	"WriteImm": {"ibv_wr_rdma_write_imm", "IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM",
		map[string]string{"rkey": "wr.rdma.rkey", "remote_addr": "wr.rdma.remote_addr", "imm_data": "imm_data"}, false},
	"Read": {"ibv_wr_rdma_read", "IBV_QP_EX_WITH_RDMA_READ",
		map[string]string{"rkey": "wr.rdma.rkey", "remote_addr": "wr.rdma.remote_addr"}, false},
	"CompareSwap": {"ibv_wr_atomic_cmp_swp", "IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP",
		map[string]string{"rkey": "wr.atomic.rkey", "remote_addr": "wr.atomic.remote_addr", "compare": "wr.atomic.compare_add",
			"swap": "wr.atomic.swap"}, false},
	"FetchAdd": {"ibv_wr_atomic_fetch_add", "IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD",
		map[string]string{"rkey": "wr.atomic.rkey", "remote_addr": "wr.atomic.remote_addr", "add": "wr.atomic.compare_add"}, false},
	"Flush": {"ibv_wr_flush", "IBV_QP_EX_WITH_FLUSH", map[string]string{"rkey": "wr.atomic.rkey", "remote_addr": "wr.atomic.remote_addr",
		"len": "wr.atomic.compare_add", "type": "invalidate_rkey", "level": "wr.atomic.swap"}, true},
	"AtomicWrite": {"ibv_wr_atomic_write", "IBV_QP_EX_WITH_ATOMIC_WRITE",
		map[string]string{"rkey": "wr.atomic.rkey", "remote_addr": "wr.atomic.remote_addr",
			"atomic_wr": "&wr.atomic.compare_add"}, true},
	"SendTSO": {"ibv_wr_send_tso", "IBV_QP_EX_WITH_TSO",
		map[string]string{"hdr": "wr.atomic.swap", "hdr_sz": "wr.atomic.rkey", "mss": "invalidate_rkey"}, false},
	"LocalInv": {"ibv_wr_local_inv", "IBV_QP_EX_WITH_LOCAL_INV", map[string]string{"invalidate_rkey": "invalidate_rkey"}, true},
}

// toAddress gives a datagram its address.
var toAddress = command{"ibv_wr_set_ud_addr", "",
	map[string]string{"ah": "wr.ud.ah", "remote_qpn": "wr.ud.remote_qpn", "remote_qkey": "wr.ud.remote_qkey"}, false}

// toSRQ names the shared receive queue of a request.
var toSRQ = command{"ibv_wr_set_xrc_srqn", "", map[string]string{"remote_srqn": "qp_type.xrc.remote_srqn"}, false}

// How a request has its data, and the function that gives it.
var dataFunctions = map[string]string{
	"none": "ibv_wr_set_sge_list", "one": "ibv_wr_set_sge", "two": "ibv_wr_set_sge_list", "inline": "ibv_wr_set_inline_data",
	"inlines": "ibv_wr_set_inline_data_list",
}

// expected is a call that C must see.
type expected struct {
	function string
	in       map[string]want
}

// stream is a stream to a queue pair of its own.
type stream struct {
	*bed
	*verbs.QPStream
	at uint64 // struct ibv_qp_ex *
	n  int    // of values
}

// builderNames are the methods of the builders.
func builderNames() []string { return slices.Sorted(maps.Keys(builders)) }

// allOps returns the flags of those builders, without some.
func (b *bed) allOps(without ...string) []string {
	b.Helper()
	var out []string
	for _, m := range builderNames() {
		c := builders[m]
		if !slices.Contains(without, c.flag) {
			out = append(out, c.flag)
		}
	}
	slices.Sort(out)
	return out
}

// newStream makes a queue pair of a type that is asked for requests.
func (b *bed) newStream(typ string, ops []string) *stream {
	b.Helper()
	cq, _ := b.handle("CQ")
	pd, _ := b.handle("PD")
	q, p := cq.Interface().(*verbs.CQ), pd.Interface().(*verbs.PD)
	attr := verbs.NewQPInitAttrEx(verbs.QPType(b.constants([]string{typ})), q, q, p).SendOps(verbs.QPOp(b.constants(ops)))
	qp := must(b.dev.CreateQPEx(attr))(b.TB)
	s := &stream{bed: b, at: b.last("ibv_create_qp_ex").Result}
	b.setType(s.at, typ)
	s.QPStream = must(qp.Stream())(b.TB)
	return s
}

// request makes a request by a method, with data, flags and, where it is to have one, an address, and gives the calls that build it.
func (s *stream) request(w verbs.SendWR, method, data, to string) []expected {
	s.Helper()
	values := wrCall(s.TB, sendMethods, reflect.ValueOf(w), method, &s.n, 0)
	number, _ := s.place("struct ibv_send_wr", "wr.atomic.compare_add") // TestSendRequests holds it against the value
	values["&wr.atomic.compare_add"] = fmt.Sprint(uint64(reflect.ValueOf(w).Field(0).Pointer()) + uint64(number))
	s.n++
	flags := verbs.SendFlags(s.n%7+1) | verbs.SendFlags(s.n&1)<<4 // all but the one of inline data
	w.Flags(flags)
	values["send_flags"] = fmt.Sprint(uint64(flags))
	object := map[string]want{"qp": numberWant(s.at), "qp.wr_id": {text: values["wr_id"]}, "qp.wr_flags": {text: values["send_flags"]}}
	if strings.HasPrefix(data, "inline") && !builders[method].noData {
		object["qp.wr_flags"] = numberWant(uint64(flags) | s.constants([]string{"IBV_SEND_INLINE"}))
	}
	call := func(c command) expected {
		in := maps.Clone(object)
		for arg, field := range c.args {
			in[arg] = want{text: values[field]}
		}
		return expected{c.function, in}
	}
	calls := []expected{call(builders[method])}
	if builders[method].noData {
		return calls
	}
	switch to {
	case "":
	case "ToSRQ":
		s.n++
		values["qp_type.xrc.remote_srqn"] = fmt.Sprint(0x50000 + s.n)
		w.ToSRQ(uint32(0x50000 + s.n))
		calls = append(calls, call(toSRQ))
	default:
		s.address(w, to, values)
		calls = append(calls, call(toAddress))
	}
	in := maps.Clone(object)
	s.data(w, data, in)
	return append(calls, expected{dataFunctions[data], in})
}

// address gives a datagram its address, by a method.
func (s *stream) address(w verbs.SendWR, method string, values map[string]string) {
	s.Helper()
	a, at := s.handle("AH")
	s.n += 2
	qpn, qkey := uint32(0x10000+s.n), uint32(0x20000+s.n)
	values["wr.ud.ah"], values["wr.ud.remote_qpn"], values["wr.ud.remote_qkey"] = fmt.Sprint(at), fmt.Sprint(qpn), fmt.Sprint(qkey)
	if method == "To" {
		w.To(pointer(uintptr(at)), qpn, qkey)
	} else if err := a.Interface().(*verbs.AH).Address(w, qpn, qkey); err != nil {
		s.Fatal(err)
	}
}

// inlined is where inline data may lie that nobody looks at.
var inlined [1 << 18]byte

// data gives a request its data and notes the arguments of the function that passes it on.
func (s *stream) data(w verbs.SendWR, data string, in map[string]want) {
	s.Helper()
	elements := map[string]int{"one": 1, "two": 2, "inlines": 2}[data]
	for i := range elements {
		s.n += 3
		addr, length, lkey := uint64(0x1122334455660000+s.n), uint32(0x30000+s.n+1), uint32(0x40000+s.n+2)
		if data == "inlines" { // a post looks whether there is memory
			addr = uint64(uintptr(unsafe.Pointer(&inlined[s.n%(1<<16)])))
		}
		w.SGE(addr, length, lkey)
		at := ""
		if data == "inlines" {
			at = fmt.Sprintf("buf_list[%d].", i)
			in[at+"addr"], in[at+"length"] = numberWant(addr), numberWant(uint64(length))
			continue
		}
		if dataFunctions[data] == "ibv_wr_set_sge_list" {
			at = fmt.Sprintf("sg_list[%d].", i)
		}
		in[at+"addr"], in[at+"length"], in[at+"lkey"] = numberWant(addr), numberWant(uint64(length)), numberWant(uint64(lkey))
	}
	switch data {
	case "inline":
		s.n++
		w.InlineData(make([]byte, s.n%32+1))
		in["addr"], in["length"] = numberWant(w.SGEs()[0].Addr), numberWant(uint64(s.n%32+1))
	case "inlines":
		w.Flags(verbs.SendInline)
		in["buf_list"], in["num_buf"] = want{some: true}, numberWant(uint64(elements))
	case "none", "two":
		in["sg_list"], in["num_sge"] = want{some: true}, numberWant(uint64(elements))
	}
}

// compareCalls holds the calls since calls were taken against the ones that C must see, in order, with all of their arguments.
func (s *stream) compareCalls(what string, wants []expected) {
	s.Helper()
	calls := slices.DeleteFunc(must(s.rec.Calls())(s.TB), func(c Call) bool { return c.Verb == "ibv_query_qp" }) // to explain a refusal
	for i, c := range calls {
		if i >= len(wants) || c.Verb != wants[i].function {
			s.Errorf("%s: call %d of C is %s, and these are expected: %s", what, i, c.Verb, names(wants))
			return
		}
		in := wants[i].in
		for _, arg := range slices.Sorted(maps.Keys(in)) {
			if !in[arg].met(c.In[arg]) {
				s.Errorf("%s: %s has %s = %s, not %s", what, c.Verb, arg, c.In[arg], in[arg])
			}
		}
		for _, arg := range slices.Sorted(maps.Keys(c.In)) {
			if _, ok := in[arg]; !ok && !zero(c.In[arg]) && !strings.HasPrefix(arg, "qp.") {
				s.Errorf("%s: %s has %s = %s, which nobody set", what, c.Verb, arg, c.In[arg])
			}
		}
	}
	if len(calls) < len(wants) {
		s.Errorf("%s: C sees %d calls of %s", what, len(calls), names(wants))
	}
}

func names(calls []expected) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.function)
	}
	return strings.Join(out, ", ")
}

// around puts the calls of a stream around those of its requests.
func (s *stream) around(last string, calls ...[]expected) []expected {
	end := map[string]want{"qp": numberWant(s.at)}
	return append(append([]expected{{"ibv_wr_start", end}}, slices.Concat(calls...)...), expected{last, end})
}

// TestStreams posts a request of every method with each kind of data, as a stream.
func TestStreams(t *testing.T) { open(t).streams() }

func (b *bed) streams() {
	b.Helper()
	for _, typ := range []string{"IBV_QPT_RC", "IBV_QPT_UC"} {
		s := b.newStream(typ, b.allOps())
		for _, data := range slices.Sorted(maps.Keys(dataFunctions)) {
			s.posted(typ+", data: "+data, builderNames(), data, "")
		}
	}
	x := b.newStream("IBV_QPT_XRC_SEND", b.allOps(builders["SendTSO"].flag)) // which no device has for XRC
	for _, data := range slices.Sorted(maps.Keys(dataFunctions)) {
		methods := slices.DeleteFunc(builderNames(), func(m string) bool { return m == "SendTSO" })
		x.posted("XRC, data: "+data, methods, data, "ToSRQ")
	}
	s := b.newStream("IBV_QPT_UD", b.allOps())
	for _, to := range []string{"To", "AH.Address"} {
		for _, data := range slices.Sorted(maps.Keys(dataFunctions)) {
			s.posted(to+", data: "+data, []string{"Send", "SendImm"}, data, to)
		}
	}
}

// posted posts requests of methods in one stream, and then each in one of its own.
func (s *stream) posted(what string, methods []string, data, to string) {
	s.Helper()
	batch := must(verbs.NewSendBatch(len(methods), 2, verbs.InlineRoom(64)))(s.TB)
	built := make([][]expected, len(methods))
	for i, m := range methods {
		built[i] = s.request(batch.WR(i), m, data, to)
	}
	must(s.rec.Calls())(s.TB)
	if n, err := s.Post(batch, len(methods)); n != len(methods) || err != nil {
		s.Errorf("%s: Post = %d, %v", what, n, err)
	}
	s.compareCalls(what, s.around("ibv_wr_complete", built...))
	for i, m := range methods {
		if n, err := s.PostRange(batch.From(i, 1)); n != 1 || err != nil {
			s.Errorf("%s, %s: PostRange = %d, %v", what, m, n, err)
		}
		s.compareCalls(what+", "+m, s.around("ibv_wr_complete", built[i]))
	}
}

// TestStreamAborts posts a request that a queue pair was not asked for, or that cannot be posted, behind one that can: C sees the first,
// and an end of the stream without a post.
func TestStreamAborts(t *testing.T) {
	b := open(t)
	for _, method := range builderNames() {
		before := "Send"
		if method == before {
			before = "Write"
		}
		s := b.newStream("IBV_QPT_RC", b.allOps(builders[method].flag))
		batch := must(verbs.NewSendBatch(3, 2, verbs.InlineRoom(64)))(t)
		built := s.request(batch.WR(0), before, "one", "")
		s.request(batch.WR(1), method, "one", "")
		s.request(batch.WR(2), before, "one", "")
		s.refused(method, batch, 3, syscall.EINVAL, s.around("ibv_wr_abort", built))
	}
	s := b.newStream("IBV_QPT_RC", b.allOps())
	batch := must(verbs.NewSendBatch(1, 2))(t)
	first := s.request(batch.WR(0), "Send", "one", "")
	b.rec.Replies("ibv_wr_complete", Reply{Result: int64(syscall.ENOMEM)})
	s.refused("no memory", batch, 1, syscall.ENOMEM, s.around("ibv_wr_complete", first))
	ud := b.newStream("IBV_QPT_UD", b.allOps())
	built := ud.request(batch.WR(0), "Send", "one", "")
	ud.refused("a datagram without an address", batch, 1, syscall.EINVAL, ud.around("ibv_wr_abort", built[:1]))
}

// refused posts requests of which none is posted.
func (s *stream) refused(what string, batch *verbs.SendBatch, n int, errno syscall.Errno, wants []expected) {
	s.Helper()
	must(s.rec.Calls())(s.TB)
	if got, err := s.Post(batch, n); got != 0 || !errors.Is(err, errno) {
		s.Errorf("%s: Post = %d, %v, not %v", what, got, err, errno)
	}
	s.compareCalls(what, wants)
}

// TestCommands holds the tables of this test against the pages: they have the same functions.
func TestCommands(t *testing.T) {
	b := open(t)
	here := map[string]bool{toAddress.function: true, toWindow.function: true, toSRQ.function: true}
	for _, c := range builders {
		here[c.function] = true
	}
	for _, f := range dataFunctions {
		here[f] = true
	}
	for v := range b.spec.Verbs() {
		stream := v.Builds != nil || v.SetsFor != "" || len(v.Methods) == 0 && strings.HasPrefix(v.C, "ibv_wr_set_")
		if stream && !here[v.C] {
			t.Errorf("%s:%d: %s is in no table of streams_test.go", v.Pos.File, v.Pos.Line, v.C)
		}
		delete(here, v.C)
	}
	for name := range here {
		t.Errorf("%s is on no page", name)
	}
	for _, name := range wrMethods(t, reflect.TypeFor[verbs.SendWR](), sendMethods) {
		if _, ok := builders[name]; !ok && sendMethods[name].begin == "" {
			t.Errorf("SendWR.%s begins a request, and builders does not have it", name)
		}
	}
}
