package devinfo

import "github.com/verbsgen/verbsgen/gen/verbs"

// text gives the text of a value, or what stands for all others.
func text[T comparable](v T, known map[T]string, other string) string {
	if s, ok := known[v]; ok {
		return s
	}
	return other
}

var (
	atomicCaps = map[verbs.AtomicCap]string{verbs.AtomicCapNone: "ATOMIC_NONE", verbs.AtomicCapHCA: "ATOMIC_HCA",
		verbs.AtomicCapGlob: "ATOMIC_GLOB"}
	portStates = map[verbs.PortState]string{verbs.PortStateDown: "PORT_DOWN", verbs.PortStateInit: "PORT_INIT",
		verbs.PortStateArmed: "PORT_ARMED", verbs.PortStateActive: "PORT_ACTIVE"}
	linkLayers = map[verbs.LinkLayer]string{verbs.LinkLayerUnspecified: "Unspecified", verbs.LinkLayerInfiniband: "InfiniBand",
		verbs.LinkLayerEthernet: "Ethernet"}

	virtualLanes = map[uint8]string{1: "1", 2: "2", 3: "4", 4: "8", 5: "15"}
	widths       = map[uint8]string{1: "1", 2: "4", 4: "8", 8: "12", 16: "2"}
	speeds       = map[uint32]string{1: "2.5 Gbps", 2: "5.0 Gbps", 4: "10.0 Gbps", 8: "10.0 Gbps", 16: "14.0 Gbps", 32: "25.0 Gbps",
		64: "50.0 Gbps", 128: "100.0 Gbps", 256: "200.0 Gbps"}
	// the word in the fourth is as rdma-core spells it
	physStates = map[uint8]string{1: "SLEEP", 2: "POLLING", 3: "DISABLED", 4: "PORT_CONFIGURATION TRAINNING", 5: "LINK_UP",
		6: "LINK_ERROR_RECOVERY", 7: "PHY TEST"}
)

var odpCaps = []flag{{uint64(verbs.ODPCapSupported), "ODP_SUPPORT"}, {uint64(verbs.ODPCapImplicit), "ODP_SUPPORT_IMPLICIT"}}

var odpTransportCaps = []flag{
	{uint64(verbs.ODPTransportCapSend), "SUPPORT_SEND"}, {uint64(verbs.ODPTransportCapRecv), "SUPPORT_RECV"},
	{uint64(verbs.ODPTransportCapWrite), "SUPPORT_WRITE"}, {uint64(verbs.ODPTransportCapRead), "SUPPORT_READ"},
	{uint64(verbs.ODPTransportCapAtomic), "SUPPORT_ATOMIC"}, {uint64(verbs.ODPTransportCapSRQRecv), "SUPPORT_SRQ"},
	{uint64(verbs.ODPTransportCapFlush), "SUPPORT_FLUSH"}, {uint64(verbs.ODPTransportCapAtomicWrite), "SUPPORT_ATOMIC_WRITE"},
}

var rawPacketCaps = []flag{
	{uint64(verbs.RawPacketCapCvlanStripping), "C-VLAN stripping offload"}, {uint64(verbs.RawPacketCapScatterFCS), "Scatter FCS offload"},
	{uint64(verbs.RawPacketCapIPCsum), "IP csum offload"}, {uint64(verbs.RawPacketCapDelayDrop), "Delay drop"},
}

var qpTypes = []flag{{1 << verbs.QPTypeRawPacket, "SUPPORT_RAW_PACKET"}, {1 << verbs.QPTypeUD, "SUPPORT_UD"},
	{1 << verbs.QPTypeRC, "SUPPORT_RC"}}
