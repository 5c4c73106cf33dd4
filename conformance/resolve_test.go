//go:build linux && cgo

package conformance

import (
	"errors"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestResolveEth asks for the Ethernet address of the port itself, which is made of its GUID, and of a peer that nobody is.
func TestResolveEth(t *testing.T) {
	b := open(t)
	gid := must(b.dev.QueryGID(1, 0))(t)
	own := verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid}
	mac, vid, err := b.dev.ResolveEthL2FromGID(own)
	want := [6]byte{gid[8] ^ 2, gid[9], gid[10], gid[13], gid[14], gid[15]}
	if err != nil || mac != want || vid != 0xffff {
		t.Errorf("%x on VLAN %d, %v; want %x on none", mac, vid, err, want)
	}
	if mac, _, err := b.dev.ResolveEthL2FromGID(verbs.AHAttr{PortNum: 1, IsGlobal: true,
		DGID: verbs.GID{0xfe, 0x80, 15: 9}}); !errors.Is(err, syscall.EHOSTUNREACH) || mac != [6]byte{} {
		t.Errorf("nobody's address: %x, %v", mac, err)
	}
	own.SGIDIndex = 255
	if _, _, err := b.dev.ResolveEthL2FromGID(own); err != nil {
		t.Errorf("an empty entry of the table: %v", err)
	}
	if _, _, err := b.dev.ResolveEthL2FromGID(verbs.AHAttr{IsGlobal: true, DGID: gid}); err == nil {
		t.Error("port 0 is accepted")
	}
}
