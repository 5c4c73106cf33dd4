//go:build linux

package main

import (
	"encoding/hex"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
)

// removed stands in the report for what names the machine.
const removed = "(removed)"

// identifiers returns what names this machine: its host name, user and addresses, and the GUIDs and GIDs of its devices, with colons or
// without.
func identifiers() []string {
	var names []string
	if host, err := os.Hostname(); err == nil {
		short, _, _ := strings.Cut(host, ".")
		names = append(names, host, short)
	}
	if u, err := user.Current(); err == nil {
		names = append(names, u.HomeDir, u.Username)
	}
	names = append(names, os.Getenv("SUDO_USER"))
	interfaces, _ := net.Interfaces() // without /proc and /sys there is no device either
	for _, i := range interfaces {
		names = append(names, spellings(i.HardwareAddr)...)
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
				names = append(names, n.IP.String())
			}
		}
	}
	for _, glob := range []string{"node_guid", "sys_image_guid", "ports/*/gids/*"} {
		files, _ := filepath.Glob(sysfs.Path("class/infiniband", "*", glob))
		for _, file := range files {
			text, _ := os.ReadFile(file)
			id := strings.TrimSpace(string(text))
			raw, err := hex.DecodeString(strings.ReplaceAll(id, ":", ""))
			if err == nil && len(raw) >= 8 && strings.Trim(id, "0:") != "" {
				names = append(names, id)
				names = append(names, spellings(raw)...)
				names = append(names, spellings(raw[len(raw)-8:])...) // the GUID of a port
			}
		}
	}
	return names
}

// spellings are the ways in which an address of bytes is written.
func spellings(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	out := []string{hex.EncodeToString(b), net.HardwareAddr(b).String()}
	if len(b) == net.IPv6len {
		out = append(out, net.IP(b).String())
	}
	if len(b) == 8 { // as sysfs writes a GUID
		h := out[0]
		out = append(out, strings.Join([]string{h[:4], h[4:8], h[8:12], h[12:]}, ":"))
	}
	return out
}

// plain are words that name nobody, though a machine or a user may be called so.
var plain = map[string]bool{"root": true, "/root": true, "localhost": true, "(none)": true, "linux": true, "device": true, "/": true}

// pattern matches each of the names, whole and in any case. Names of fewer than three bytes would match anywhere.
func pattern(names []string) *regexp.Regexp {
	var parts []string
	for _, n := range names {
		if len(n) >= 3 && !plain[n] && strings.Trim(n, "0:.") != "" {
			parts = append(parts, regexp.QuoteMeta(n))
		}
	}
	if len(parts) == 0 {
		return regexp.MustCompile(`$^`)
	}
	// the longest of several that match must win, so that no part of an address stays
	r := regexp.MustCompile(`(?i)(` + strings.Join(parts, "|") + `)`)
	r.Longest()
	return r
}

// anonymous is the text of a report without what names the machine. It looks at the values that are made on the machine, never at the
// names of fields and statuses, which a user may be called too.
func anonymous(r *report.Report, private *regexp.Regexp) ([]byte, error) {
	c := *r
	clean := func(s string) string { return private.ReplaceAllLiteralString(s, removed) }
	c.Host.Name = ""
	c.Library.Name = clean(filepath.Base(c.Library.Name))
	c.Device.Name, c.Device.Firmware = clean(c.Device.Name), clean(c.Device.Firmware)
	c.Capabilities = slices.Clone(c.Capabilities)
	for i := range c.Capabilities {
		c.Capabilities[i].Reason = clean(c.Capabilities[i].Reason)
	}
	c.Cases = slices.Clone(c.Cases)
	for i := range c.Cases {
		at := &c.Cases[i]
		at.Reason = clean(at.Reason)
		at.Observed = slices.Clone(at.Observed)
		for k := range at.Observed {
			at.Observed[k].What, at.Observed[k].Answer = clean(at.Observed[k].What), clean(at.Observed[k].Answer)
		}
	}
	return report.Encode(&c)
}
