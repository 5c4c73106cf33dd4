package model

import "testing"

func TestExported(t *testing.T) {
	for c, want := range map[string]string{
		"log_align_req":             "LogAlignReq",
		"LOCAL_WRITE":               "LocalWrite",
		"RAW_PACKET":                "RawPacket",
		"wr_rdma_write_imm":         "WRRDMAWriteImm",
		"phys_port_cnt_ex":          "PhysPortCntEx",
		"USNIC_UDP":                 "USNICUDP",
		"4096":                      "4096",
		"2_5_GBPS":                  "2_5Gbps",
		"25_GBPS":                   "25Gbps",
		"_leading":                  "Leading",
		"MW_BIND":                   "MWBind",
		"FLUSH_GLOBAL":              "FlushGlobal",
		"":                          "",
		"xrc_odp_caps":              "XRCODPCaps",
		"max_mcast_qp_attach":       "MaxMcastQPAttach",
		"CVLAN_STRIPPING":           "CvlanStripping",
		"per_transport_caps":        "PerTransportCaps",
		"ROCE_V2":                   "RoCEV2",
		"sys_image_guid":            "SysImageGUID",
		"IPV4":                      "IPv4",
		"SQ_PSN":                    "SQPSN",
		"DEST_QPN":                  "DestQPN",
		"QP_LAST_WQE_REACHED":       "QPLastWQEReached",
		"INV_EECN_ERR":              "InvEECNErr",
		"REM_INV_RD_REQ_ERR":        "RemInvRDReqErr",
		"max_total_mcast_qp_attach": "MaxTotalMcastQPAttach",
	} {
		if got := Exported(c); got != want {
			t.Errorf("Exported(%q) = %q, want %q", c, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Local("dm_offset"), "dmOffset"},
		{Local("type"), "typ"},
		{Local("fd"), "fd"},
		{Local("hca_va"), "hcaVA"},
		{MemberName("MRAccess", "IBV_ACCESS_", "IBV_ACCESS_ZERO_BASED"), "MRAccessZeroBased"},
		{MemberName("QPType", "IBV_QPT_", "IBV_QPT_RAW_PACKET"), "QPTypeRawPacket"},
		{MemberName("PortCap", "IBV_PORT_", "IBV_PORT_CAP_MASK2_SUP"), "PortCapMask2Sup"},
		{MemberName("PortCap", "IBV_PORT_", "IBV_PORT_CAP"), "PortCapCap"},
		{Joined("attr.ah_attr.grh.flow_label"), "attr_ah_attr_grh_flow_label"},
		{Joined("mw_bind.bind_info.mr"), "mw_bind_info_mr"},
		{Joined("qp.qp_type"), "qp_type"},
		{Joined("flow.flow"), "flow_flow"},
		{LeafName("type"), "typ"},
		{LeafName("range"), "rangeValue"},
		{ParamName("port_num"), "portNum"},
		{ParamName("context"), "dev"},
		{ParamName("ctx"), "dev"},
		{ParamName("err"), "errValue"},
		{ParamName("len"), "lenValue"},
		{LeafName("per_transport_caps.rc_odp_caps"), "per_transport_caps_rc_odp_caps"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestUnexported(t *testing.T) {
	for in, want := range map[string]string{"MRAccess": "mrAccess", "DM": "dm", "Type": "typ", "PD": "pd",
		"ThreadDomain": "threadDomain", "SendCQ": "sendCQ", "A": "a", "SÃelf": "sÃelf", "Élan": "élan", "ÉÃlan": "éÃlan"} {
		if got := Unexported(in); got != want {
			t.Errorf("Unexported(%q) = %q, want %q", in, got, want)
		}
	}
}
