package remote

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// post is a request as bytes.
func post(suite, ask, body string) string {
	return fmt.Sprintf("POST /%s HTTP/1.1\r\nHost: x\r\nVerbsgen-Suite: %s\r\nContent-Length: %d\r\n\r\n%s", ask, suite, len(body), body)
}

// TestHostileClient sends a server what no client sends, on connections of their own and within sessions. It tells why, ends the
// connection, of which no end is left, and serves the next one.
func TestHostileClient(t *testing.T) {
	s := serve(t, func(s *Server) { s.Once = true })
	for _, c := range []struct {
		sent, says string
		stranger   bool // what it sends is no request that is told of
	}{
		{"SSH-2.0-OpenSSH_9.2\r\n\r\n", "400 Bad Request", true},
		{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "it does not speak this protocol: it sends GET /\n", false},
		{post("another\x1bsuite", askHello, "{}"), "400 Bad Request", true},
		{post("another suite", askHello, "{}"), `it has another suite, "another suite", and this side "a suite"; build both`, false},
		{post("a suite", askNew, "{}"), "it has no session\n", false},
		{post("a suite", askHello, "no JSON"), "a message that cannot be read: invalid character 'o'", false},
		{post("a suite", askHello, `{"End":1}{}`), "a message that cannot be read: invalid character '{' after top-level value", false},
		{post("a suite", askHello, `{"End":-1}`), "a message that cannot be read: json: cannot unmarshal number -1", false},
		{post("a suite", askHello, `{"Data":"`+strings.Repeat("A", maxMessage)+`"}`), "a message that cannot be read: http: request body too", false},
		{post("a suite", askHello, strings.Repeat("[", 20000)), "a message that cannot be read: invalid character '[' exceeded max depth", false},
		{strings.Replace(post("a suite", askHello, ""), "Host", strings.Repeat("x", 20000), 1), "431 Request Header Fields Too Large", true},
	} {
		for _, begun := range []bool{false, true} {
			if begun && strings.Contains(c.says, "no session") { // it has one there
				continue
			}
			conn, err := net.Dial("tcp", s.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			sent := c.sent
			if begun {
				sent = post("a suite", askHello, "{}") + post("a suite", askNew, `{"Within":20000000000}`) + sent
			}
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatal(err)
			}
			answers, _ := io.ReadAll(conn)
			if !strings.Contains(string(answers), c.says) || strings.ContainsRune(string(answers), '\x1b') {
				t.Errorf("%.60q within a session %t: %q, want %q", c.sent, begun, answers, c.says)
			}
			if !c.stranger && !begun {
				s.said(t, "was turned away: "+c.says[:len(c.says)-1])
			}
			s.free(t)
			if ends, _ := s.world.left(); ends != 0 {
				t.Fatalf("%.60q: %d ends are left open", c.sent, ends)
			}
		}
	}
	if err := dial(t, s.addr).Close(); err != nil {
		t.Error(err)
	}
	if err := s.ended(t); err != nil { // with Once, only the last one counted
		t.Error(err)
	}
}

// TestNoSuchEnd asks for ends that are not there, and for nothing that there is. That is an answer like others: the session goes on.
func TestNoSuchEnd(t *testing.T) {
	s := serve(t, nil)
	p := dial(t, s.addr)
	for _, ask := range []string{askConnect, askDo, askPostRecv, askWaitRecv, askLoad, askStore, askClose, "format\x1b[2J"} {
		_, err := p.ask(t.Context(), p.line, strings.ReplaceAll(ask, "\x1b", "%1b"), &request{End: 1<<32 - 1})
		says(t, ask, err, strings.ReplaceAll(ask, "\x1b", "?")+": there is no end 4294967295")
	}
	newEnd(t, p)
	_, err := p.ask(t.Context(), p.line, "format", &request{End: 1})
	says(t, "an unknown request", err, `nothing is done for "format"`)
}

// play is a far side made by hand. It greets well, and makes an end.
func play(t *testing.T, answer http.HandlerFunc) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(suiteHeader, "a suite")
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.URL.Path {
		case "/" + askHello:
			fmt.Fprint(w, "{}")
		case "/" + askNew:
			fmt.Fprint(w, `{"End":1}`)
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// TestHostileServer has a far side answer what none answers. The call fails and says why; the session is over.
func TestHostileServer(t *testing.T) {
	for _, c := range []struct{ answer, says string }{
		{`no JSON`, "is lost: an answer that cannot be read: invalid character 'o'"},
		{`{"Result":{"Status":"x"}}`, "is lost: an answer that cannot be read: json: cannot unmarshal string"},
		{`{"Result":{"Data":"AAAA"}}`, "is lost: 3 bytes were read in place of 4"},
		{`{"Data":"` + strings.Repeat("A", maxMessage) + `"}`, "is lost: http: request body too large"},
	} {
		p := dial(t, play(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.answer) }))
		e := newEnd(t, p)
		_, err := e.Do(t.Context(), far.Op{Code: far.Read, Length: 4})
		says(t, c.says, err, c.says)
		says(t, c.says, e.Store(t.Context(), 0, nil), "store: its session is over: ")
	}
	p := dial(t, play(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"Data":"AAAA"}`) }))
	_, err := newEnd(t, p).Load(t.Context(), 0, 4)
	says(t, "a part of the window", err, "3 bytes of the window in place of 4")
	p = dial(t, play(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "\x1b[31m"+strings.Repeat("long ", 1000), 500)
	}))
	err = newEnd(t, p).Store(t.Context(), 0, nil)
	says(t, "a long error", err, "store at the far side: ?[31mlong ")
	if len(err.Error()) > 2*maxWhy {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// TestGreetings pins what is said of a far side that greets wrongly.
func TestGreetings(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
	for _, c := range []struct{ first, says string }{
		{"SSH-2.0-OpenSSH_9.2\r\n", `it does not speak this protocol: net/http: HTTP/1.x transport connection broken: malformed HTTP`},
		{"verbsgen\x00\x03\x00\x00\x00\x02{}", `malformed HTTP response "verbsgen\x00\x03`},
		{head + "\r\nhello", `it does not speak this protocol: it answers "200 OK"; is it a suite with -listen?`},
		{head + "Verbsgen-Suite: another\tsuite\r\n\r\n{}",
			`it has another suite, "another?suite", and this side "a suite"; build both programs from the same source`},
		{head + "Verbsgen-Suite: a suite\r\n\r\nhello", "an answer that cannot be read: invalid character 'h'"},
		{head[:9] + "423 Locked\r\nVerbsgen-Suite: a suite\r\n\r\nnot\ttoday", "it will not serve now: not?today"},
		{head[:9] + "500 No\r\nVerbsgen-Suite: a suite\r\n\r\ngo\taway", "it will not serve: go?away"},
		{"", "the connection was closed by the other side"},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, c.first)
			_ = conn.Close()
		}()
		addr := ln.Addr().String()
		_, err = Dial(t.Context(), client(addr))
		says(t, c.first, err, "-connect "+addr+": ")
		says(t, c.first, err, c.says)
		_ = ln.Close()
	}
}
