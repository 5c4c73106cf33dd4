package remote

import (
	"encoding/binary"
	"encoding/json"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// greeted connects to a server as a client that keeps to the protocol so far.
func greeted(t *testing.T, addr string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	w := &wire{conn: conn, step: 20 * time.Second}
	if _, err := greeting(w, &Client{Suite: "a suite", About: someone("raw")}); err != nil {
		t.Fatal(err)
	}
	return w
}

// text returns a frame with this text, whatever it is.
func text(s string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...)
}

// told reads the server's next answer.
func told(t *testing.T, w *wire) *answer {
	t.Helper()
	a := &answer{}
	if err := w.read(a, maxFrame, 20*time.Second); err != nil {
		t.Fatalf("no answer: %v", err)
	}
	return a
}

// to is a request to connect to an address of which one field is changed.
func to(change string) string {
	good := `"kind":"RC","qpn":1,"psn":1,"qkey":1,"gid":[1],"lid":1,"mtu":1,"base":1,"rkey":1,"size":1`
	key, _, _ := strings.Cut(change, ":")
	var fields []string
	for _, f := range strings.Split(good, ",") {
		if strings.HasPrefix(f, key) {
			f = change
		}
		fields = append(fields, f)
	}
	return `{"id":2,"ask":"connect","end":1,"to":{` + strings.Join(fields, ",") + `}}`
}

// hostile is what no client sends, and why it is refused.
var hostile = []struct {
	name string
	sent []byte
	why  string
}{
	{"nothing in it", text(""), "a message of 0 bytes; it may have 1 to "},
	{"too long", []byte{0xff, 0xff, 0xff, 0xff}, "a message of 4294967295 bytes; it may have 1 to "},
	{"no JSON", text("GET / HTTP/1.1"), "a message that cannot be read: invalid character 'G'"},
	{"cut JSON", text(`{"id":2`), "a message that cannot be read: unexpected EOF"},
	{"an array", text(`[]`), "a message that cannot be read: json: cannot unmarshal array"},
	{"a wrong type", text(`{"id":"2"}`), "a message that cannot be read: json: cannot unmarshal string"},
	{"an unknown field", text(`{"id":2,"ask":"ping","colour":"red"}`), `unknown field "colour"`},
	{"two objects", text(`{"id":2,"ask":"ping"}{}`), "a message with something behind its end"},
	{"deep", text(`{"id":` + strings.Repeat("[", 20000)), "a message that cannot be read: "},
	{"an id that was", text(`{"id":1,"ask":"ping"}`), "request 1 comes after 1"},
	{"an id ahead", text(`{"id":3,"ask":"ping"}`), "request 3 comes after 1"},
	{"a negative id", text(`{"id":-1,"ask":"ping"}`), "a message that cannot be read: "},
	{"no ask", text(`{"id":2}`), `"" is none of [ping new connect `},
	{"an unknown one", text(`{"id":2,"ask":"format\u001b[2J"}`), `"format?[2J" is none of [ping new connect `},
	{"a kind", text(`{"id":2,"ask":"new","kind":"XRC"}`), `new: no kind "XRC"`},
	{"a time", text(`{"id":2,"ask":"ping","within_ms":-1}`), "ping: within_ms is -1"},
	{"no address", text(`{"id":2,"ask":"connect","end":1}`), "connect: no address"},
	{"QPN 0", text(to(`"qpn":0`)), "connect: queue pair number 0x0; it has 24 bits and is not 0"},
	{"QPN", text(to(`"qpn":16777216`)), "connect: queue pair number 0x1000000; it has 24 bits"},
	{"PSN", text(to(`"psn":16777216`)), "connect: packet number 0x1000000; it has 24 bits"},
	{"LID", text(to(`"lid":65536`)), "cannot unmarshal number 65536 into Go struct field"},
	{"MTU 0", text(to(`"mtu":0`)), "connect: MTU 0; enum ibv_mtu has 1 to 5"},
	{"MTU 6", text(to(`"mtu":6`)), "connect: MTU 6; enum ibv_mtu has 1 to 5"},
	{"window", text(to(`"size":65537`)), "connect: a window of 65537 bytes; it may have 0 to 65536"},
	{"kind of address", text(to(`"kind":"DC"`)), `connect: no kind "DC"`},
	{"no operation", text(`{"id":2,"ask":"do","end":1}`), "do: no operation"},
	{"an operation", text(`{"id":2,"ask":"do","end":1,"op":{"code":"erase"}}`), `operation "erase" is none of [write read`},
	{"a long read", text(`{"id":2,"ask":"do","end":1,"op":{"code":"read","length":65537}}`),
		"read of length 65537 with 0 bytes of data; both may be 0 to 65536"},
	{"a negative read", text(`{"id":2,"ask":"do","end":1,"op":{"code":"read","length":-1}}`), "read of length -1 "},
	{"a long write", text(`{"id":2,"ask":"do","end":1,"op":{"code":"write","data":"` + strings.Repeat("A", 87400) + `"}}`),
		"write of length 0 with 65550 bytes of data"},
	{"a long store", text(`{"id":2,"ask":"store","end":1,"data":"` + strings.Repeat("A", 87400) + `"}`),
		"store: 65550 bytes of data; at most 65536 go"},
	{"a long load", text(`{"id":2,"ask":"load","end":1,"length":65537}`), "load: length is 65537; it may be 0 to 65536"},
	{"outside of the window", text(`{"id":2,"ask":"load","end":1,"offset":-1}`), "load: offset -1 is outside of the window"},
	{"a long receive", text(`{"id":2,"ask":"post-recv","end":1,"length":65537}`), "post-recv: length is 65537"},
}

// TestHostileClient sends a server what no client sends. It tells why and ends the session, whose ends are closed, and
// serves the next one.
func TestHostileClient(t *testing.T) {
	s := serve(t, nil)
	for _, c := range hostile {
		w := greeted(t, s.addr)
		if err := w.send(&request{ID: 1, Ask: askNew, Kind: far.UD, Within: 20000}); err != nil {
			t.Fatal(err)
		}
		if a := told(t, w); a.End != 1 || a.Why != "" {
			t.Fatalf("%s: %+v", c.name, a)
		}
		if err := w.write(c.sent); err != nil {
			t.Fatal(err)
		}
		if a := told(t, w); !a.Over || !strings.Contains(a.Why, c.why) || len(a.Why) > maxWhy {
			t.Errorf("%s: %q (over: %t), want %q", c.name, a.Why, a.Over, c.why)
		}
		if _, err := w.conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: the session goes on", c.name)
		}
		s.free(t)
		if ends, _ := s.world.left(); ends != 0 {
			t.Errorf("%s: %d ends are left open", c.name, ends)
		}
	}
}

// TestNoSuchEnd asks for ends that are not there. That is an answer like others: the session goes on.
func TestNoSuchEnd(t *testing.T) {
	s := serve(t, nil)
	w := greeted(t, s.addr)
	for i, r := range []request{{Ask: askConnect, To: &far.Address{Kind: far.RC, QPN: 1, MTU: 1}},
		{Ask: askDo, Op: &far.Op{Code: far.Send}},
		{Ask: askPostRecv}, {Ask: askWaitRecv}, {Ask: askLoad}, {Ask: askStore}, {Ask: askClose, End: 1<<32 - 1}} {
		r.ID = uint64(i + 1)
		if err := w.send(&r); err != nil {
			t.Fatal(err)
		}
		if a := told(t, w); a.Over || !strings.Contains(a.Why, ": there is no end ") {
			t.Errorf("%s of no end: %+v", r.Ask, a)
		}
	}
}

// free waits until nobody is served.
func (s *serving) free(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		s.Server.mu.Lock()
		guest := s.guest
		s.Server.mu.Unlock()
		if guest == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s is still served", guest)
		}
	}
}

// play is a far side made by hand: after the greeting in first, and a good verdict, it answers each request with what answer gives,
// or closes the connection where that is nil.
func play(t *testing.T, first []byte, answer func(r *request) []byte) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			w := &wire{conn: conn, step: 20 * time.Second}
			_, _ = w.met("a suite")
			_, _ = conn.Write(first)
			if answer != nil {
				_ = w.read(&proof{}, maxHello, 20*time.Second)
				_ = w.send(&verdict{})
			}
			for r := (&request{}); answer != nil && w.read(r, maxFrame, 20*time.Second) == nil; r = (&request{}) {
				_, _ = conn.Write(answer(r))
			}
			_ = conn.Close()
		}
	}()
	return ln.Addr().String()
}

func helloBytes(t *testing.T, h hello) []byte {
	t.Helper()
	h.Nonce = make([]byte, nonceSize)
	b, err := frame(&h)
	if err != nil {
		t.Fatal(err)
	}
	return append(preamble(Protocol), b...)
}

// answering is a far side whose answers are good but for a change, from the second on and for ends of UD.
func answering(change func(m map[string]any)) func(*request) []byte {
	return func(r *request) []byte {
		b, _ := json.Marshal(&answer{ID: r.ID, End: 1, At: &far.Address{Kind: far.RC, QPN: 1, MTU: 1},
			Result:   &far.Result{Data: []byte("read")},
			Received: &far.Received{Data: []byte("got"), Length: 3}, Data: []byte("load")})
		m := map[string]any{}
		if err := json.Unmarshal(b, &m); err != nil {
			panic(err)
		}
		if r.ID > 1 || r.Kind == far.UD {
			change(m)
		}
		b, _ = json.Marshal(m)
		return text(string(b))
	}
}

// set is a change of one field; nil takes it out.
func set(v any, path ...string) func(m map[string]any) {
	return func(m map[string]any) {
		for _, p := range path[:len(path)-1] {
			m = m[p].(map[string]any)
		}
		m[path[len(path)-1]] = v
		if v == nil {
			delete(m, path[len(path)-1])
		}
	}
}

// TestHostileServer has a far side answer what none answers. The call fails and says why; the session is over.
func TestHostileServer(t *testing.T) {
	read := func(e far.End) error {
		_, err := e.Do(t.Context(), far.Op{Code: far.Read, Length: 4})
		return err
	}
	recv := func(e far.End) error { _, err := e.WaitRecv(t.Context()); return err }
	load := func(e far.End) error { _, err := e.Load(t.Context(), 0, 4); return err }
	another := func(e far.End) error { _, err := e.(*end).peer.NewEnd(t.Context(), far.UD); return err }
	for _, c := range []struct {
		name   string
		change func(m map[string]any)
		call   func(e far.End) error
		why    string
	}{
		{"all is well", set("x", "why"), read, "do at the far side: x"},
		{"an id", set(7, "id"), read, "answer 7 came to request 2"},
		{"a type", set("7", "id"), read, "a message that cannot be read: json: cannot unmarshal string"},
		{"a field", set(7, "answer"), read, `unknown field "answer"`},
		{"over", func(m map[string]any) { m["over"], m["why"] = true, "tired\x1b[31m" }, read, "the far side ended it: tired?[31m"},
		{"a long reason", set(strings.Repeat("long ", 1000), "why"), read, "long lo..."},
		{"no result", set(nil, "result"), read, "no result"},
		{"a status", set(64, "result", "status"), read, "status 64 is none of enum ibv_wc_status"},
		{"too little", set("AAAA", "result", "data"), read, "3 bytes were read in place of 4"},
		{"too much", set(strings.Repeat("A", 87400), "data"), read, "65550 bytes of data; at most 65536 go"},
		{"nothing received", set(nil, "received"), recv, "nothing was received"},
		{"a status of a receive", set(-1, "received", "status"), recv, "status -1 is none of enum ibv_wc_status"},
		{"a negative length", set(-1, "received", "length"), recv,
			"a message of -1 bytes, 3 of them here, with a header of 0, from queue pair 0x0"},
		{"a queue pair", set(1<<24, "received", "src_qp"), recv, "from queue pair 0x1000000"},
		{"a header", set(strings.Repeat("AAAA", 14), "received", "grh"), recv, "with a header of 42"},
		{"a part of the window", set("AAAA", "data"), load, "3 bytes of the window in place of 4"},
		{"an end without number", set(nil, "end"), another, "an end without a number or an address"},
		{"an end without address", set(nil, "at"), another, "an end without a number or an address"},
		{"another kind", set("RC", "at", "kind"), another, `an end of kind "RC" in place of "UD"`},
		{"an address", func(m map[string]any) { set("UD", "at", "kind")(m); set(1<<24, "at", "qpn")(m) }, another, "queue pair number 0x1000000"},
	} {
		addr := play(t, helloBytes(t, hello{Suite: "a suite"}), answering(c.change))
		p := dial(t, addr)
		e := newEnd(t, p)
		err := c.call(e)
		says(t, c.name, err, c.why)
		if err != nil && len(err.Error()) > 2*maxWhy {
			t.Errorf("%s: an error of %d bytes", c.name, len(err.Error()))
		}
		over := e.Store(t.Context(), 0, nil)
		if c.name == "all is well" || c.name == "a long reason" {
			says(t, c.name+": the next call", over, "store at the far side: ")
		} else {
			says(t, c.name+": the next call", over, "store: its session is over: ")
		}
	}
}

// TestGreetings pins what is said of a far side that greets wrongly.
func TestGreetings(t *testing.T) {
	good := slices.Clip(helloBytes(t, hello{Suite: "a suite"}))
	for _, c := range []struct {
		name  string
		first []byte
		says  string
	}{
		{"another program", []byte("SSH-2.0-OpenSSH_9.2\r\n"),
			`it does not speak this protocol: it begins with "SSH-2.0-"; is it a suite with -listen or -connect?`},
		{"half a greeting", []byte("verbs\x00"), `it does not speak this protocol: it begins with "verbs\x00"`},
		{"a later version", preamble(9), "it speaks version 9 of the protocol and this side version 3; build both programs from the same source"},
		{"another suite", helloBytes(t, hello{Suite: "another\nsuite"}),
			`it has another suite, "another?suite", and this side "a suite"; build both programs from the same source`},
		{"no JSON", append(preamble(Protocol), text("hello")...), "its greeting: a message that cannot be read: invalid character 'h'"},
		{"too long", append(preamble(Protocol), text(strings.Repeat(" ", maxHello+1))...),
			"its greeting: a message of 16385 bytes; it may have 1 to 16384"},
		{"no nonce", append(preamble(Protocol), text(`{"suite":"a suite"}`)...), "its greeting: a nonce of 0 bytes; it has 32"},
		{"a refusal", append(good, text(`{"refused":"not\ttoday"}`)...), "it will not serve now: not?today"},
		{"never", append(good, text(`{"refused":"go\taway","never":true}`)...), "it will not serve: go?away"},
		{"a proof of what is not there", append(good, text(`{"proof":"AAAA"}`)...), "its secret is another one; start both sides with the same"},
		{"a secret", helloBytes(t, hello{Suite: "a suite", Secret: true}), "it serves only those who have its secret; start this side"},
		{"no verdict", good, "no answer to the greeting: the connection was closed by the other side"},
		{"nothing", nil, "no greeting: the connection was closed by the other side"},
	} {
		addr := play(t, c.first, nil)
		_, err := Dial(t.Context(), client(addr))
		says(t, c.name, err, "-connect "+addr+": "+c.says)
	}
}
