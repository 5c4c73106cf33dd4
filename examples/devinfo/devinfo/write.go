package devinfo

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Write writes down an open device.
func Write(w io.Writer, dev *verbs.Device, info verbs.DeviceEntry) error {
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	p := &page{}
	p.device(info, &attr.OrigAttr)
	p.extended(attr)
	p.field(1, "num_comp_vectors", "%d", dev.NumCompVectors())
	for port := uint8(1); port != 0 && port <= attr.OrigAttr.PhysPortCnt; port++ {
		a, err := dev.QueryPort(port)
		if err != nil {
			return err
		}
		p.port(port, a, info.Transport)
		if err := p.gids(dev, info, port, a); err != nil {
			return err
		}
		p.text.WriteString("\n")
	}
	_, err = io.WriteString(w, p.text.String())
	return err
}

// page is the text so far.
type page struct{ text strings.Builder }

// field writes a name and, from a column of its own on, the value.
func (p *page) field(depth int, name, format string, args ...any) {
	column := 40
	if depth == 3 {
		column = 48
	}
	at := depth*8 + len(name) + 1
	tabs := max(1, (column-at/8*8)/8)
	p.text.WriteString(strings.Repeat("\t", depth) + name + ":" + strings.Repeat("\t", tabs) + fmt.Sprintf(format, args...) + "\n")
}

// line writes a line without a value.
func (p *page) line(depth int, text string) {
	p.text.WriteString(strings.Repeat("\t", depth) + text + "\n")
}

// flag is a bit and its text.
type flag struct {
	bit  uint64
	text string
}

// flags writes the names of the bits that are set, each on a line, and the rest as a number.
func (p *page) flags(v uint64, known []flag) {
	for _, f := range known {
		if v&f.bit != 0 {
			p.line(5, f.text)
			v &^= f.bit
		}
	}
	if v != 0 {
		p.line(5, fmt.Sprintf("Unknown flags: 0x%X", v))
	}
}

// cNames gives the bits of a type of flags that the bindings know, as the C names without their prefix.
func cNames[T interface {
	~uint32 | ~uint64
	fmt.Stringer
}](v T) []flag {
	var out []flag
	for rest := uint64(v); rest != 0; rest &= rest - 1 {
		bit := uint64(1) << bits.TrailingZeros64(rest)
		name, _, _ := strings.Cut(T(bit).String(), " (") // "XRC (0x100000)", or a number where it has no name
		if !strings.HasPrefix(name, "0x") {
			out = append(out, flag{bit, name})
		}
	}
	return out
}

// guid is a GUID in four groups.
func guid(v uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", v>>48, v>>32&0xffff, v>>16&0xffff, v&0xffff)
}

// gids writes the entries of a port's table that are in use.
func (p *page) gids(dev *verbs.Device, info verbs.DeviceEntry, port uint8, a *verbs.PortInfo) error {
	for i := range a.GIDTblLen {
		gid, err := dev.QueryGID(port, i)
		if err != nil {
			return err
		}
		if [8]byte(gid[8:]) == [8]byte{} {
			continue
		}
		kind := sysfs(info, fmt.Sprintf("ports/%d/gid_attrs/types/%d", port, i))
		name := fmt.Sprintf("GID[%3d]", i)
		switch {
		case kind == "RoCE v2":
			p.field(3, name, "%s%s", gid, onEthernet(a, ", RoCE v2"))
		case kind == "IB/RoCE v1":
			p.field(3, name, "%s%s", inFull(gid), onEthernet(a, ", RoCE v1"))
		case info.IBDevPath == "" || !exists(info.IBDevPath): // a device that the kernel does not know
			p.field(3, name, "%s", gid)
		}
	}
	return nil
}

func onEthernet(a *verbs.PortInfo, s string) string {
	if a.LinkLayer == verbs.LinkLayerEthernet {
		return s
	}
	return ""
}

// inFull is a GID with all its zeros.
func inFull(g verbs.GID) string {
	var groups []string
	for i := 0; i < len(g); i += 2 {
		groups = append(groups, fmt.Sprintf("%02x%02x", g[i], g[i+1]))
	}
	return strings.Join(groups, ":")
}

// sysfs reads a file of the device's folder there; nothing where there is none.
func sysfs(info verbs.DeviceEntry, name string) string {
	text, err := os.ReadFile(filepath.Join(info.IBDevPath, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
