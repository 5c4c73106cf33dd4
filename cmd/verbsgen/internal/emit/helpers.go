package emit

import "strings"

// helpers are small declarations that other generated text may use, each with the text by which its use is known. A
// helper may use the ones that follow it.
var helpers = []struct{ use, source string }{
	{"nilHandle(", `
// nilHandle is the error of a call on, or with, a nil handle.
func nilHandle(verb, what string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: what + " is nil; pass one that is open"}
}`},
	{"nilValue(", `
// nilValue is the error of a call with a nil argument that is no handle.
func nilValue(verb, what, fix string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: what + " is nil; " + fix}
}`},
	{"outOfRange(", `
// outOfRange is the error of a number that does not fit into a C int.
func outOfRange(verb, what string, v int) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: what + " " + strconv.Itoa(v) + ": a C int has 32 bits; pass a smaller value"}
}`},
	{"memoryError(", `
// memoryError is the error of a verb that could not get hold of the caller's memory.
func memoryError(verb string, err error) error {
	return &verr.Error{Verb: verb, Refused: true, Err: err}
}`},
	{".missing(", `
// missing is the error of a verb whose function the library lacks.
func (l *Lib) missing(verb string, sym int) error {
	return verr.Missing(verb, symbols[sym].name, symbols[sym].since, l.name)
}`},
	{"memlockHint(", `
// memlockHint tells of the limit on locked memory, which a registration may have met.
func memlockHint(errno syscall.Errno) []string {
	if hint := verr.MemlockHint(); errno == syscall.ENOMEM && hint != "" {
		return []string{hint}
	}
	return nil
}`},
	{"goneHint(", `
// goneHint tells what is left to do when the kernel does not know device memory any more.
func goneHint(errno syscall.Errno) []string {
	if errno == syscall.ENOENT {
		return []string{"another context has destroyed the memory; give the handle up with Unimport"}
	}
	return nil
}`},
	{"holdBuffer(", `
// holdBuffer keeps a buffer from being closed, in the name of what uses it, until release is called.
func holdBuffer(buf *mem.Buffer, who string) (release func()) {
	if buf.Retain(who) != nil { // it is open: the verb that made who holds it
		return nil
	}
	return func() { buf.Release(who) }
}`},
	{"GID", `
// GID is an address of a port: 16 bytes in network byte order.
//
// C: union ibv_gid, ibv_query_gid(3).
type GID [16]byte

// String gives the GID in the form of an IPv6 address.
func (g GID) String() string { return netip.AddrFrom16(g).String() }`},
	{"errnoOf(", `
// errnoOf gives the errno that cgo read inside the call. A call that fails without one gives 0.
func errnoOf(err error) syscall.Errno {
	e, _ := err.(syscall.Errno)
	return e
}`},
	{"cText(", `
// cText gives the text of a C char array up to its first NUL.
func cText(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return text
}`},
	{"astray(", `
// astray tells whether a mask does not go with the way from one state to another. A state that no way begins with
// decides nothing.
func astray(ways []way, mask, from, to uint64) bool {
	begins := false
	for _, w := range ways {
		if w.from == from && w.to == to {
			return mask&w.need != w.need || mask&^(w.need|w.may) != 0
		}
		begins = begins || w.from == from
	}
	return begins
}`},
	{"astrayText(", `
// astrayText writes a way that astray refused, with what the mask lacks and has too much.
func astrayText(ways []way, mask, from, to uint64, state func(uint64) string, names []flagName) string {
	text := flagText(mask, names) + ", " + state(from) + " to " + state(to)
	for _, w := range ways {
		if w.from != from || w.to != to {
			continue
		}
		and := ""
		if lacks := w.need &^ mask; lacks != 0 {
			text, and = text+" without "+flagText(lacks, names), " and"
		}
		if more := mask &^ (w.need | w.may); more != 0 {
			text += and + " with " + flagText(more, names)
		}
		return text
	}
	return text + ", which is no transition"
}`},
	{"either(", `
// either gives a, or b when is does not hold.
func either(is bool, a, b uint64) uint64 {
	if is {
		return a
	}
	return b
}`},
	{"[]way{", `
// way is a transition between states, with the bits of a mask that it needs and those that it may have.
type way struct{ from, to, need, may uint64 }`},
	{"flagText(", `
// flagText writes bits as names joined by |, what has no name in hex, and the whole value behind them.
func flagText(v uint64, names []flagName) string {
	if v == 0 {
		return "0"
	}
	var parts []string
	rest := v
	for _, n := range names {
		if n.bits != 0 && rest&n.bits == n.bits {
			parts = append(parts, n.name)
			rest &^= n.bits
		}
	}
	if rest != 0 {
		parts = append(parts, "0x"+strconv.FormatUint(rest, 16))
	}
	return strings.Join(parts, "|") + " (0x" + strconv.FormatUint(v, 16) + ")"
}`},
	{"flagName{", `
// flagName is the name of a bit, as messages write it.
type flagName struct {
	bits uint64
	name string
}`},
	{" known", `
// known is a value that the rules look at and that need not be known: a capability before the device was asked, the
// length of imported memory.
type known struct {
	v  uint64
	ok bool
}`},
	{"knownOf(", `
// knownOf makes a known value of what a getter gives.
func knownOf(v uint64, ok bool) known { return known{v, ok} }`},
	{"addrOf(", `
// addrOf is the address of a C object, for rules that ask whether there is one.
func addrOf(c unsafe.Pointer) uint64 { return uint64(uintptr(c)) }`},
	{"addrText(", `
// addrText writes an address as messages show it.
func addrText(v uint64) string {
	if v == 0 {
		return "NULL"
	}
	return "0x" + strconv.FormatUint(v, 16)
}`},
	{"sumAbove(", `
// sumAbove tells whether a + b is above max, also where the sum wraps around.
func sumAbove(a, b, max uint64) bool { return a+b < a || a+b > max }`},
	{"countTrue(", `
// countTrue counts conditions.
func countTrue(conds ...bool) int {
	n := 0
	for _, c := range conds {
		if c {
			n++
		}
	}
	return n
}`},
	{"pageSize", `
// pageSize is the host's.
var pageSize = uint64(os.Getpagesize())`},
}

// helpersFile writes the helpers that the package uses. It comes last.
func (e *emitter) helpersFile() *goFile {
	g := e.newFile("helpers.gen.go")
	for _, h := range helpers {
		if strings.Contains(e.text.String(), h.use) {
			g.add("%s", h.source)
		}
	}
	for _, o := range e.pkg.Objects {
		if strings.Contains(e.text.String(), "nodeOf"+o.Go+"(") {
			g.add("// nodeOf%[1]s gives the node of a handle that may be nil.\nfunc nodeOf%[1]s(o *%[1]s) *object.Node {\nif o == nil {\nreturn nil\n}\nreturn &o.node\n}", o.Go)
		}
	}
	return g
}
