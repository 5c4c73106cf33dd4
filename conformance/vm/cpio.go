//go:build linux

package main

import (
	"bytes"
	"fmt"
)

// cpio writes an archive as the kernel unpacks it (format "newc", Documentation/driver-api/early-userspace/buffer-format.rst).
type cpio struct {
	buf bytes.Buffer
	ino int
}

// Types of files, as in st_mode.
const (
	modeDir  = 0o040000
	modeFile = 0o100000
	modeLink = 0o120000
)

func (c *cpio) dir(name string)                         { c.entry(name, modeDir|0o755, nil) }
func (c *cpio) file(name string, perm int, text []byte) { c.entry(name, modeFile|perm, text) }
func (c *cpio) link(name, target string)                { c.entry(name, modeLink|0o777, []byte(target)) }

// entry writes one file: thirteen numbers of eight hex digits, the name with a zero byte, the text.
func (c *cpio) entry(name string, mode int, text []byte) {
	c.ino++
	c.buf.WriteString("070701")
	for _, v := range []int{c.ino, mode, 0, 0, 1, 0, len(text), 0, 0, 0, 0, len(name) + 1, 0} {
		fmt.Fprintf(&c.buf, "%08x", v)
	}
	c.buf.WriteString(name)
	c.buf.WriteByte(0)
	c.pad()
	c.buf.Write(text)
	c.pad()
}

// pad fills up to a multiple of four bytes.
func (c *cpio) pad() {
	for c.buf.Len()%4 != 0 {
		c.buf.WriteByte(0)
	}
}

// end closes the archive and gives it.
func (c *cpio) end() []byte {
	c.entry("TRAILER!!!", 0, nil)
	return c.buf.Bytes()
}
