//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// progress tells a person how far the run is: lines that stay, and on a terminal one line that changes.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	shown    string // the changing line, where it is on the screen
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		p.terminal = err == nil
	}
	return p
}

// line writes a line that stays.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
	fmt.Fprintf(p.w, "vm: "+format+"\n", args...)
}

// status replaces the changing line. Without a terminal nothing is written.
func (p *progress) status(format string, args ...any) {
	if !p.terminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("vm: "+format, args...)
	if text == p.shown {
		return
	}
	p.wipe()
	fmt.Fprint(p.w, text)
	p.shown = text
}

// clear takes the changing line away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

func (p *progress) wipe() {
	if p.shown != "" {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = ""
	}
}
