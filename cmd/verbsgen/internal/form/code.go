package form

import "github.com/verbsgen/verbsgen/spec"

// Code is what the values of a type stand for, and the functions of package cmem below runtime/ that convert them.
type Code struct {
	Name string // of the key code:
	Bits int    // width of a type without an enum
	Is   string // Go type that a value is converted to
	Arg  string // its name as a parameter

	Method, To string // method of the type, and the function that it calls, which takes Takes
	Takes      string
	Does       string

	From    string // function that gives a value
	FromDoc string
}

// codes is the registry.
var codes = []Code{
	{Name: spec.NumberMTU, Bits: 32, Is: "int", Arg: "bytes", Method: "Bytes", To: "MTUBytes", Takes: "uint32",
		Does: "returns the bytes of payload that a packet may have; 0 for a value that is not defined",
		From: "MTUOf", FromDoc: "returns the largest value of at most that many bytes. It returns syscall.EINVAL for fewer than 256 bytes"},
	{Name: spec.NumberTimeout, Bits: 8, Is: "time.Duration", Arg: "d", Method: "Duration", To: "Timeout", Takes: "uint8",
		Does: "returns the time: 4.096 microseconds times 2 to the power of the code; 0 where the code is 0, which is no timeout at " +
			"all, or beyond 31",
		From: "TimeoutOf",
		FromDoc: "returns the code of the shortest timeout of at least d, and 0 (no timeout) for 0. It returns syscall.EINVAL " +
			"below 0 and beyond the longest, some 2 hours and 27 minutes"},
	{Name: spec.NumberDelay, Bits: 8, Is: "time.Duration", Method: "Duration", To: "Delay", Takes: "uint8",
		Does: "returns the time: 4.096 microseconds times 2 to the power of the code; 0 for a code beyond 31"},
	{Name: spec.NumberRNR, Bits: 8, Is: "time.Duration", Arg: "d", Method: "Duration", To: "RNRTimer", Takes: "uint8",
		Does: "returns the time, 10 microseconds to 655.36 milliseconds; 0 for a code beyond 31",
		From: "RNRTimerOf",
		FromDoc: "returns the code of the shortest time of at least d, 10 microseconds for 0. It returns syscall.EINVAL below 0 " +
			"and beyond 655.36 milliseconds"},
}

// Text is how the bytes of a union are written as text, and read again, by functions of package cmem below runtime/. The one that
// reads is told the name of the type, for its errors.
type Text struct {
	Name          string // of the key text:
	To, Does      string
	From, FromDoc string
}

// texts is the registry of texts.
var texts = []Text{
	{Name: spec.TextIPv6, To: "IPv6", Does: "returns the value in the form of an IPv6 address",
		From: "ParseIPv6",
		FromDoc: `reads a value: an IPv6 address in any of its forms ("fe80::1", as String writes it, or with all its digits, as sysfs ` +
			`shows it), or an IPv4 address, which becomes the IPv6 address that it is mapped to (::ffff:192.0.2.1). It returns syscall.EINVAL ` +
			`for anything else, also for an address with a zone`},
}

// FindText returns the text of a name, or nil.
func FindText(name string) *Text { return find(texts, func(t *Text) bool { return t.Name == name }) }

// FindCode returns the code of a name, or nil.
func FindCode(name string) *Code { return find(codes, func(c *Code) bool { return c.Name == name }) }

// find returns the entry of a registry of which something holds, or nil.
func find[T any](registry []T, is func(*T) bool) *T {
	for i := range registry {
		if is(&registry[i]) {
			return &registry[i]
		}
	}
	return nil
}
