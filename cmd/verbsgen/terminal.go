package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// terminal describes where text goes. The zero value is a file or a pipe: no colours, no wrapping, no pager.
type terminal struct {
	file          *os.File // nil unless it is a terminal
	colours       bool
	width, height int
}

// terminalOf describes a writer. Colours are off if NO_COLOR is set (https://no-color.org) or the terminal has none.
func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return terminal{}
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	colours := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return terminal{file: f, colours: colours, width: width, height: height}
}

// paint returns the text in a style, or as it is where there are no colours.
func (t terminal) paint(text string, style ...color.Attribute) string {
	if !t.colours || text == "" {
		return text
	}
	c := color.New(style...)
	c.EnableColor()
	return c.Sprint(text)
}

// show prints text for people: on a terminal its lines are wrapped, and a pager shows what is higher than the screen.
func (a *app) show(text string) error {
	if t := a.tty; t.file != nil {
		text = wrap(text, t.width)
		if strings.Count(text, "\n") >= t.height && os.Getenv("TERM") != "dumb" && page(t.file, text) {
			return nil
		}
	}
	_, err := io.WriteString(a.out, text)
	return err
}

// page shows text in $PAGER, or less; it returns false if that could not run. An empty PAGER turns paging off.
func page(to *os.File, text string) bool {
	command, set := os.LookupEnv("PAGER")
	if !set {
		command = "less"
	}
	if command == "" || command == "cat" {
		return false
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), to, io.Discard
	if os.Getenv("LESS") == "" {
		cmd.Env = append(os.Environ(), "LESS=FRX") // as git does: colours, and no pager for a text that fits
	}
	const notFound = 127 // the status of a shell whose command does not exist
	err := cmd.Run()
	return err == nil || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() != notFound
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// visibleLen is the number of columns of a text with colours.
func visibleLen(s string) int { return utf8.RuneCountInString(escapes.ReplaceAllString(s, "")) }

// wrap breaks lines between words at a width. What follows a break is indented by four columns more than the line.
func wrap(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if visibleLen(strings.TrimSuffix(line, "\n")) <= width {
			b.WriteString(line)
			continue
		}
		body := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(body)]
		column := 0
		for i, word := range strings.Fields(body) {
			n := visibleLen(word)
			switch {
			case i == 0:
				b.WriteString(indent)
				column = len(indent)
			case column+1+n > width:
				b.WriteString("\n" + indent + "    ")
				column = len(indent) + 4
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// progress says on a terminal what runs, as soon as it takes more than a second. The returned function ends it.
func progress(to terminal, what string) (stop func()) {
	if to.file == nil || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	start, done, gone := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for shown := false; ; {
			select {
			case <-tick.C:
				shown = true
				_, _ = io.WriteString(to.file, "\r"+what+": "+time.Since(start).Round(time.Second).String()+" ")
			case <-done:
				if shown {
					_, _ = io.WriteString(to.file, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() { close(done); <-gone }
}
