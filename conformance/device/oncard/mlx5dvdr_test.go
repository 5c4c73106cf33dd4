//go:build linux && cgo

package oncard

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
)

// Steering of the real libmlx5: the card has tables of level 0.

// outer are the first bytes of what a matcher looks at: the addresses and the type of Ethernet headers, as the firmware has them.
func outer(from [6]byte, kind uint16, to [6]byte) []byte {
	b := make([]byte, 64)
	copy(b, from[:])
	b[6], b[7] = byte(kind>>8), byte(kind)
	copy(b[8:], to[:])
	return b
}

// TestDirectSteering steers frames by rules of a table: one kind goes to a queue pair with a tag, another is dropped.
func TestDirectSteering(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("raw packets need root")
	}
	lib, dev := dvOf(t)
	s := newSender(t, open(t, card.Devices[1]))
	e := receiver(t, dev)
	domain := must(lib.CreateDRDomain(dev, mlx5dv.DRDomainTypeNICRX))(t)
	domain.SetReclaimMemory(true)
	domain.AllowDuplicateRules(false)
	table := must(domain.CreateTable(0))(t)
	all := [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	matcher := must(table.CreateMatcher(0, 1, outer([6]byte{}, 0xffff, all)))(t)
	to, tag, drop := must(lib.CreateDRActionQP(e.QP))(t), must(lib.CreateDRActionTag(0x1234))(t), must(lib.CreateDRActionDrop())(t)
	frame := udp(1, 2, 3)
	rule := must(matcher.CreateRule(outer([6]byte{}, 0x0800, [6]byte(frame[:6])), []*mlx5dv.DRAction{tag, to}))(t)
	if rule.DRMatcher() != matcher {
		t.Error("the rule is not one of its matcher")
	}
	arp := append([]byte(nil), frame...)
	arp[13] = 6
	must(matcher.CreateRule(outer([6]byte{}, 0x0806, [6]byte(frame[:6])), []*mlx5dv.DRAction{drop}))(t)

	sendFrame(t, s, arp)
	sendFrame(t, s, frame)
	if wc := must(e.Wait())(t); wc.Err() != nil || int(wc.ByteLen) != len(frame) || string(e.Buf[:len(frame)]) != string(frame) {
		t.Errorf("the frame of the rule: %+v, %x", wc, e.Buf[:len(frame)])
	}
	for _, c := range []struct {
		close error
		below string
	}{
		{to.Close(), "DRRule"}, {e.QP.Close(), "DRAction"}, {matcher.Close(), "DRRule"}, {table.Close(), "DRMatcher"},
		{domain.Close(), "DRTable"},
	} {
		if !errors.Is(c.close, syscall.EBUSY) || !strings.Contains(c.close.Error(), c.below) {
			t.Errorf("Close of what a %s was made from: %v", c.below, c.close)
		}
	}
	if err := errors.Join(rule.Close(), to.Close(), tag.Close()); err != nil {
		t.Error(err)
	}
}

// TestDirectSteeringRefused makes what libmlx5 or the card refuses.
func TestDirectSteeringRefused(t *testing.T) {
	lib, dev := dvOf(t)
	domain := must(lib.CreateDRDomain(dev, mlx5dv.DRDomainTypeNICRX))(t)
	table := must(domain.CreateTable(0))(t)
	matcher := must(table.CreateMatcher(0, 1, make([]byte, 64)))(t)
	drop, pop := must(lib.CreateDRActionDrop())(t), must(lib.CreateDRActionPopVLAN())(t)
	miss := must(lib.CreateDRActionDefaultMiss())(t)
	obj := must(lib.DevXCreate(dev, []byte{0: 0x09, 1: 0x39, 15: 0}, make([]byte, 16)))(t) // a counter
	again := must(lib.OpenDevice(dev, mlx5dv.NewContextAttr().Flags(mlx5dv.ContextAttrFlagDevX)))(t)
	defer again.CloseAll()
	far := must(lib.DevXCreate(again, []byte{0: 0x09, 1: 0x39, 15: 0}, make([]byte, 16)))(t)
	count := must(far.CreateDRActionCounter(0))(t)
	for _, c := range []struct {
		name string
		err  error
		is   error
		says string
	}{
		{"a table above level 0", errorOf(domain.CreateTable(1)), errors.ErrUnsupported, "does not steer by software"},
		{"a mask of other headers", errorOf(table.CreateMatcher(0, 1, append(make([]byte, 63), 1))), syscall.EOPNOTSUPP, ""},
		{"a rule without actions", errorOf(matcher.CreateRule(make([]byte, 64), nil)), syscall.EINVAL, ""},
		{"two ends", errorOf(matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{drop, miss})),
			syscall.EOPNOTSUPP, "two that end the way of a packet"},
		{"an action on tags", errorOf(matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{pop})), syscall.ENOTSUP, ""},
		{"an action of another device", errorOf(matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{drop, count})),
			syscall.EINVAL, "use objects of one device"},
		{"a nil action", errorOf(matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{nil})), syscall.EINVAL, "DRAction is nil"},
		{"an action to level 0", errorOf(table.CreateAction()), syscall.EINVAL, "level 0"},
		{"an anchor", errorOf(table.CreateActionRoot(1)), errors.ErrUnsupported, ""},
		{"a counter as a TIR", errorOf(obj.CreateDRAction()), syscall.EINVAL, "not a TIR"},
		{"a VLAN header", errorOf(domain.CreateActionPushVLAN(1)), syscall.EINVAL, "VR-mlx5dv_dr_action_create_push_vlan-vlan_hdr"},
		{"a port", errorOf(domain.CreateActionPort(1)), syscall.EINVAL, "not for the switch"},
		{"a port of the switch", errorOf(domain.CreateActionVPort(1)), syscall.EINVAL, "not for the switch"},
		{"an object with state", errorOf(domain.CreateActionASO(obj, 0, 0, 1)), syscall.EOPNOTSUPP, "does not steer by software"},
		{"an object of another device", errorOf(domain.CreateActionASO(far, 0, 0, 1)), syscall.EINVAL, "use objects of one device"},
		{"headers to take off", errorOf(domain.CreateActionPacketReformat(0, mlx5dv.ReformatTypeL2TunnelToL2, nil)),
			syscall.EOPNOTSUPP, "one of level 0"},
		{"headers to change", errorOf(domain.CreateActionModifyHeader(0, make([]byte, 8))), syscall.EOPNOTSUPP, "one of level 0"},
		{"a part of a change", errorOf(domain.CreateActionModifyHeader(0, make([]byte, 12))), syscall.EINVAL, "a change has 8 bytes"},
		{"a meter", errorOf(lib.CreateDRActionFlowMeter(mlx5dv.DRFlowMeterAttr{NextTable: table})), syscall.EOPNOTSUPP, "level 0"},
		{"a meter to nowhere", errorOf(lib.CreateDRActionFlowMeter(mlx5dv.DRFlowMeterAttr{})), syscall.EINVAL, "packets go to a table"},
		{"a change of what is no meter", drop.ModifyFlowMeter(mlx5dv.DRFlowMeterAttr{NextTable: table}, 1), syscall.EINVAL, "not a meter"},
		{"a change of what has no state", drop.ModifyASO(0, 0, 1), syscall.EINVAL, "no such object"},
		{"a layout", matcher.SetLayout(mlx5dv.DRMatcherLayout{}), syscall.ENOTSUP, "level 0"},
		{"a wait", domain.Sync(mlx5dv.DRSyncSW), syscall.EOPNOTSUPP, "does not steer by software"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %v: %s", c.name, c.err, c.is, c.says)
		}
	}
}

// steering is a libmlx5 that makes a modify-header action on a card that does not steer by software, which refuses one for tables above
// level 0: it is one that drops packets.
type steering struct{ mlx5dv.Symbols }

func (s steering) Symbol(name, version string) uintptr {
	if name == "mlx5dv_dr_action_create_modify_header" {
		name = "mlx5dv_dr_action_create_drop"
	}
	return s.Symbols.Symbol(name, version)
}

// TestDirectSteeringLevel gives a rule of level 0 an action for higher levels, in which libmlx5 would look for that of level 0.
func TestDirectSteeringLevel(t *testing.T) {
	_, dev := dvOf(t)
	library := must(dl.Module{Name: "libmlx5.so.1", Probe: "mlx5dv_is_supported"}.Open(""))(t)
	lib := must(mlx5dv.LoadFrom(dev.Lib(), steering{library}))(t)
	domain := must(lib.CreateDRDomain(dev, mlx5dv.DRDomainTypeNICRX))(t)
	matcher := must(must(domain.CreateTable(0))(t).CreateMatcher(0, 1, make([]byte, 64)))(t)
	tag := must(lib.CreateDRActionTag(1))(t)
	higher := must(domain.CreateActionModifyHeader(0, make([]byte, 8)))(t)
	lowest := must(domain.CreateActionModifyHeader(mlx5dv.DRActionFlagRootLevel, make([]byte, 8)))(t)
	matcher.CPtr() // other C code may do much with a matcher, but not change the level of its table
	_, err := matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{tag, higher})
	if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "VR-mlx5dv_dr_rule_create-actions-8347") {
		t.Errorf("a rule of level 0 with an action for higher levels: %v", err)
	} else {
		t.Log(err)
	}
	if _, err := matcher.CreateRule(make([]byte, 64), []*mlx5dv.DRAction{lowest}); err != nil && strings.Contains(err.Error(), "-8347") {
		t.Error(err)
	}
}
