//go:build linux && cgo

package recording

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// want is what C must see of one field or argument: the text of a value, any that is not 0, or whatever it is.
type want struct {
	text string
	some bool
	free bool
}

func (w want) met(got string) bool {
	switch {
	case w.free:
		return true
	case w.some:
		return got != "" && !zero(got)
	}
	if got == w.text {
		return true
	}
	v, err := strconv.ParseUint(w.text, 10, 32) // an int of C that Go has as unsigned: flags
	return err == nil && got == fmt.Sprint(uint64(int64(int32(v))))
}

func (w want) String() string {
	if w.some {
		return "any value but 0"
	}
	return w.text
}

func numberWant(v uint64) want { return want{text: fmt.Sprint(v)} }

// mostCandidates is the number of candidates.
const mostCandidates = 8 + 32

// candidates are values for a field that is the nth of a call: one in which every byte is set and differs from those of other fields;
// for a field whose rule refuses that, smaller ones.
func candidates(n uint64, bits int, signed bool) []uint64 {
	wide := n & 0x7f
	for i := 1; i < bits/8; i++ {
		wide |= (0x80 | (n*7+uint64(i)*29)&0x7f) << (8 * i)
	}
	if signed {
		wide &^= 1 << (bits - 1)
	}
	list := []uint64{wide, wide >> 9, wide >> 9 &^ 0xfff, n & 0x7f, n << 12, wide & 0xffffff, n%30 + 1, n%6 + 1}
	for bit := range 32 {
		list = append(list, 1<<bit)
	}
	for i, v := range list { // what does not fit becomes a small value once more
		if v &= ^uint64(0) >> (64 - bits); v == 0 || signed && v>>(bits-1) != 0 {
			v = n&0x7f%uint64(i+1) + 1
		}
		list[i] = v
	}
	return list
}

// scalar makes a number, a flag set, a bool or an array of bytes of the given Go type; try counts the values that were refused.
func scalar(t reflect.Type, n, try int) (reflect.Value, want, error) {
	v := reflect.New(t).Elem()
	switch {
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
		return v, numberWant(1), nil
	case t.Kind() == reflect.Array && t.Elem().Kind() == reflect.Uint8:
		b := make([]byte, t.Len())
		for i := range b {
			b[i] = byte(n + i*3 + 1)
			v.Index(i).SetUint(uint64(b[i]))
		}
		return v, want{text: "x" + hex.EncodeToString(b)}, nil
	case t == reflect.TypeFor[verbs.MTU](): // a builder refuses what is not a code
		v.SetUint(uint64(n)%5 + 1)
		return v, numberWant(v.Uint()), nil
	case v.CanUint():
		x := candidates(uint64(n), t.Bits(), false)[try%mostCandidates]
		v.SetUint(x)
		return v, numberWant(x), nil
	case v.CanInt():
		x := candidates(uint64(n), min(t.Bits(), 32), true)[try%mostCandidates] // a Go int stands for an int of C
		v.SetInt(int64(x))
		return v, numberWant(x), nil
	}
	return v, want{}, fmt.Errorf("this test makes no value of type %s; teach scalar", t)
}

// regions is the memory of a test.
type regions struct {
	buffers []*mem.Buffer
}

const regionSize = 1 << 16

func (r *regions) buffer(t testing.TB) *mem.Buffer {
	t.Helper()
	b := must(mem.New(regionSize))(t)
	r.buffers = append(r.buffers, b)
	return b
}

func (r *regions) close(t testing.TB) {
	t.Cleanup(func() { // after the device, which holds them
		for _, b := range r.buffers {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

var (
	typeBytes  = reflect.TypeFor[[]byte]()
	typeSource = reflect.TypeFor[mem.Source]()
	typeAddr   = reflect.TypeFor[uintptr]()
)

// piece makes a piece of memory as a method takes it, and gives its address and length. Of an address no length is known.
func (b *bed) piece(t reflect.Type, n int) (v reflect.Value, addr, length uint64) {
	b.Helper()
	buf := b.memory.buffer(b.TB)
	switch t {
	case typeSource:
		length = uint64(4096 + 64*n)
		return reflect.ValueOf(mem.Addr(buf.Addr(), length)), uint64(buf.Addr()), length
	case typeBytes:
		length = uint64(4096 + 64*n)
		return reflect.ValueOf(buf.Bytes()[:length]), uint64(buf.Addr()), length
	case typeAddr:
		return reflect.ValueOf(buf.Addr()), uint64(buf.Addr()), 0
	}
	b.Fatalf("this test makes no memory of type %s; teach piece", t)
	return
}
