//go:build linux && cgo

package cm

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestRemoved makes a queue pair for an identifier whose device was removed.
func TestRemoved(t *testing.T) {
	soft := softverbs.New(softverbs.Name("soft0"))
	cm := softcm.New(soft)
	lib := must(rdmacm.LoadFrom(must(verbs.LoadFrom(soft))(t), cm))(t)
	ch := must(lib.CreateEventChannel())(t)
	id := must(ch.CreateID(rdmacm.PortSpaceTCP))(t)
	if err := id.BindAddr(netip.MustParseAddrPort("10.0.0.1:7471")); err != nil {
		t.Fatal(err)
	}
	dev := must(id.Device())(t)
	cq := must(dev.CreateCQ(4, nil, 0))(t)
	if err := soft.TakeAway("soft0"); err != nil {
		t.Fatal(err)
	}
	_, err := id.CreateQP(nil, verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxRecvWR: 1})
	if !errors.Is(err, verbs.ErrDeviceRemoved) || !errors.Is(err, syscall.EIO) {
		t.Errorf("CreateQP: %v", err)
	}
	if err := errors.Join(dev.CloseAll(), ch.CloseAll(), cm.Close(), soft.Close()); err != nil {
		t.Error(err)
	}
}
