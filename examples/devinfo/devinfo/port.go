package devinfo

import (
	"fmt"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// port writes the attributes of a port.
func (p *page) port(n uint8, a *verbs.PortInfo, t verbs.TransportType) {
	p.text.WriteString(fmt.Sprintf("\t\tport:\t%d\n", n))
	f := func(name, format string, args ...any) { p.field(3, name, format, args...) }
	f("state", "%s (%d)", text(a.State, portStates, "invalid state"), uint32(a.State))
	f("max_mtu", "%s (%d)", mtu(a.MaxMTU), uint32(a.MaxMTU))
	f("active_mtu", "%s (%d)", mtu(a.ActiveMTU), uint32(a.ActiveMTU))
	f("sm_lid", "%d", a.SMLID)
	f("port_lid", "%d", a.LID)
	f("port_lmc", "0x%02x", a.LMC)
	f("link_layer", "%s", text(a.LinkLayer, linkLayers, "Unknown"))
	f("max_msg_sz", "0x%x", a.MaxMsgSz)
	f("port_cap_flags", "0x%08x", uint32(a.PortCapFlags))
	f("port_cap_flags2", "0x%04x", uint16(a.PortCapFlags2))
	f("max_vl_num", "%s (%d)", text(a.MaxVLNum, virtualLanes, "invalid value"), a.MaxVLNum)
	f("bad_pkey_cntr", "0x%x", a.BadPKeyCntr)
	f("qkey_viol_cntr", "0x%x", a.QKeyViolCntr)
	f("sm_sl", "%d", a.SMSL)
	f("pkey_tbl_len", "%d", a.PKeyTblLen)
	f("gid_tbl_len", "%d", a.GIDTblLen)
	f("subnet_timeout", "%d", a.SubnetTimeout)
	f("init_type_reply", "%d", a.InitTypeReply)
	f("active_width", "%sX (%d)", text(a.ActiveWidth, widths, "invalid width"), a.ActiveWidth)
	speed := a.ActiveSpeedEx
	if speed == 0 {
		speed = uint32(a.ActiveSpeed)
	}
	f("active_speed", "%s (%d)", text(speed, speeds, "invalid speed"), speed)
	if t == verbs.TransportTypeIB {
		f("phys_state", "%s (%d)", text(a.PhysState, physStates, "invalid physical state"), a.PhysState)
	}
}

func mtu(m verbs.MTU) string {
	if m < verbs.MTU256 || m > verbs.MTU4096 {
		return "invalid MTU"
	}
	return fmt.Sprint(128 << m)
}

func transport(t verbs.TransportType) string {
	return text(t, map[verbs.TransportType]string{verbs.TransportTypeIB: "InfiniBand", verbs.TransportTypeIWARP: "iWARP",
		verbs.TransportTypeUSNIC: "usNIC", verbs.TransportTypeUSNICUDP: "usNIC UDP", verbs.TransportTypeUnspecified: "unspecified"},
		"invalid transport")
}
