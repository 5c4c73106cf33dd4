//go:build linux && cgo

package calls

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
)

// callLog has the last calls, in a file that is mapped, so that they are there when the process was killed.
type callLog struct {
	data []byte
	n    int
}

const (
	lines = 64
	width = 512
)

func newLog(file string) *callLog {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := f.Truncate(lines * width); err != nil {
		panic(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, lines*width, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return &callLog{data: data}
}

// add writes a call behind the others, in place of the oldest one. The number in front gives the order.
func (l *callLog) add(name string, args []reflect.Value) {
	var b strings.Builder
	fmt.Fprintf(&b, "%08d %s(", l.n, name)
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text(a))
	}
	b.WriteString(")")
	at := l.data[l.n%lines*width:][:width]
	clear(at[copy(at, b.String()):])
	l.n++
}

// text shows an argument without calling its methods, which may be at fault.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		return text(v.Elem())
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer, reflect.Func:
		if v.IsNil() {
			return "nil"
		}
		return fmt.Sprintf("%s@%x", v.Type(), v.Pointer()&0xffffff)
	case reflect.Slice:
		return fmt.Sprintf("%s[%d]", v.Type(), v.Len())
	case reflect.Bool:
		return fmt.Sprint(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprintf("%#x", v.Uint())
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Struct:
		var all []string
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				all = append(all, v.Type().Field(i).Name+":"+text(f))
			}
		}
		return "{" + strings.Join(all, " ") + "}"
	}
	return v.Type().String()
}

// String returns the calls in their order.
func (l *callLog) String() string {
	var all []string
	for i := range lines {
		if s := strings.TrimRight(string(l.data[i*width:][:width]), "\x00"); s != "" {
			all = append(all, s)
		}
	}
	slices.Sort(all) // the numbers have leading zeros
	return strings.Join(all, "\n")
}
