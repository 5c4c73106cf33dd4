//go:build linux && cgo

package recording

import (
	"reflect"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// privateRoom are the members of struct ibv_send_wr in whose memory package dpath keeps words of its own, and why no library reads
// them there.
var privateRoom = map[string]struct{ opcode, why string }{
	"bind_mw": {"IBV_WR_BIND_MW", "only a request to bind a memory window has it, and UD has no such request"},
	"tso": {"IBV_WR_TSO",
		"only a large message sent in segments has it, which a post to a UD queue pair refuses, and a stream takes from elsewhere"},
}

// privateWords are the words, fields of dpath.SendWR: which address handle a datagram is for.
var privateWords = []string{"entry", "serial"}

// addressed are the methods that give a request an address, and with it the words.
var addressed = map[string]bool{"To": true, "AH.Address": true}

// onlyStreamed are methods whose requests are posted as a stream, which reads no member of privateRoom.
var onlyStreamed = map[string]bool{"SendTSO": true}

// private reports whether a field of a request made by a method lies in the words.
func (b *bed) private(method, path string) bool {
	b.Helper()
	method, _, _ = strings.Cut(method, ",")
	member, _, _ := strings.Cut(path, ".")
	if _, ok := privateRoom[member]; !ok || !addressed[method] {
		return false
	}
	at, size := b.place("struct ibv_send_wr", path)
	for _, name := range privateWords {
		f := b.word(name)
		if at < int64(f.Offset+f.Type.Size()) && int64(f.Offset) < at+size {
			return true
		}
	}
	return false
}

func (b *bed) word(name string) reflect.StructField {
	b.Helper()
	f, ok := reflect.TypeFor[dpath.SendRequest]().FieldByName(name)
	if !ok {
		b.Fatalf("SendRequest has no field %s", name)
	}
	return f
}

// typeOf returns the type of the queue pair that a request of a method is posted to.
func typeOf(method string) string {
	if addressed[method] {
		return "IBV_QPT_UD"
	}
	return "IBV_QPT_RC"
}

// setType gives a queue pair its type in C.
func (b *bed) setType(qp uint64, name string) {
	b.Helper()
	if !b.rec.Poke("struct ibv_qp", qp, "qp_type", b.constants([]string{name})) {
		b.Fatal("struct ibv_qp has no qp_type")
	}
}

// TestPrivateWords holds the words to the room: they are within each of its members, in no other field, and SendWR makes no request that
// has one of them.
func TestPrivateWords(t *testing.T) {
	b := open(t)
	rec := b.facts.Record("struct ibv_send_wr")
	for _, name := range privateWords {
		w := b.word(name)
		from, to := int64(w.Offset), int64(w.Offset+w.Type.Size())
		for _, f := range rec.Fields {
			member, _, _ := strings.Cut(f.Name, ".")
			_, room := privateRoom[member]
			if f.Name == "" || rec.Container(f) || room || f.Offset >= to || from >= f.Offset+f.Size {
				continue
			}
			t.Errorf("SendWR.%s lies in %s, which is not in privateRoom", name, f.Name)
		}
		for member := range privateRoom {
			if first, last := b.extent("struct ibv_send_wr", member); from < first || last < to {
				t.Errorf("SendWR.%s lies at %d to %d, and %s at %d to %d", name, from, to, member, first, last)
			}
		}
	}
	for member, m := range privateRoom {
		for name, made := range sendMethods {
			if made.opcode == m.opcode && !onlyStreamed[name] {
				t.Errorf("SendWR.%s makes a %s, which has %s; keep the words elsewhere", name, m.opcode, member)
			}
		}
	}
}

// extent returns where a member of a union begins and ends.
func (b *bed) extent(tag, member string) (from, to int64) {
	from = -1
	for _, f := range b.facts.Record(tag).Fields {
		if f.Name == member || strings.HasPrefix(f.Name, member+".") {
			if from < 0 || f.Offset < from {
				from = f.Offset
			}
			to = max(to, f.Offset+f.Size)
		}
	}
	return from, to
}
