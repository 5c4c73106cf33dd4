package devinfo

import "github.com/verbsgen/verbsgen/gen/verbs"

// device writes the attributes that every release of rdma-core has.
func (p *page) device(info verbs.DeviceEntry, a *verbs.DeviceInfo) {
	p.text.WriteString("hca_id:\t" + info.Name + "\n")
	p.field(1, "transport", "%s (%d)", transport(info.Transport), info.Transport)
	if a.FWVer != "" {
		p.field(1, "fw_ver", "%s", a.FWVer)
	}
	p.field(1, "node_guid", "%s", guid(a.NodeGUID))
	p.field(1, "sys_image_guid", "%s", guid(a.SysImageGUID))
	p.field(1, "vendor_id", "0x%04x", a.VendorID)
	p.field(1, "vendor_part_id", "%d", a.VendorPartID)
	p.field(1, "hw_ver", "0x%X", a.HWVer)
	if board := sysfs(info, "board_id"); board != "" {
		p.field(1, "board_id", "%s", board)
	}
	p.field(1, "phys_port_cnt", "%d", a.PhysPortCnt)
	p.field(1, "max_mr_size", "0x%x", a.MaxMRSize)
	p.field(1, "page_size_cap", "0x%x", a.PageSizeCap)
	p.field(1, "max_qp", "%d", a.MaxQP)
	p.field(1, "max_qp_wr", "%d", a.MaxQPWR)
	p.field(1, "device_cap_flags", "0x%08x", uint32(a.DeviceCapFlags))
	p.flags(uint64(a.DeviceCapFlags), cNames(a.DeviceCapFlags))
	p.numbers([]number{
		{"max_sge", a.MaxSGE}, {"max_sge_rd", a.MaxSGERd}, {"max_cq", a.MaxCQ}, {"max_cqe", a.MaxCQE}, {"max_mr", a.MaxMR},
		{"max_pd", a.MaxPD}, {"max_qp_rd_atom", a.MaxQPRDAtom}, {"max_ee_rd_atom", a.MaxEERDAtom},
		{"max_res_rd_atom", a.MaxResRDAtom}, {"max_qp_init_rd_atom", a.MaxQPInitRDAtom}, {"max_ee_init_rd_atom", a.MaxEEInitRDAtom},
	})
	p.field(1, "atomic_cap", "%s (%d)", text(a.AtomicCap, atomicCaps, "invalid atomic capability"), uint32(a.AtomicCap))
	p.numbers([]number{
		{"max_ee", a.MaxEE}, {"max_rdd", a.MaxRDD}, {"max_mw", a.MaxMW}, {"max_raw_ipv6_qp", a.MaxRawIPv6QP},
		{"max_raw_ethy_qp", a.MaxRawEthyQP}, {"max_mcast_grp", a.MaxMcastGrp}, {"max_mcast_qp_attach", a.MaxMcastQPAttach},
		{"max_total_mcast_qp_attach", a.MaxTotalMcastQPAttach}, {"max_ah", a.MaxAH}, {"max_fmr", a.MaxFMR},
	})
	if a.MaxFMR != 0 {
		p.field(1, "max_map_per_fmr", "%d", a.MaxMapPerFMR)
	}
	p.field(1, "max_srq", "%d", a.MaxSRQ)
	if a.MaxSRQ != 0 {
		p.numbers([]number{{"max_srq_wr", a.MaxSRQWR}, {"max_srq_sge", a.MaxSRQSGE}})
	}
	p.numbers([]number{{"max_pkeys", int(a.MaxPKeys)}, {"local_ca_ack_delay", int(a.LocalCAAckDelay)}})
}

type number struct {
	name  string
	value int
}

func (p *page) numbers(list []number) {
	for _, n := range list {
		p.field(1, n.name, "%d", n.value)
	}
}

// extended writes what came with ibv_query_device_ex.
func (p *page) extended(a *verbs.DeviceInfoEx) {
	p.odp(a)
	if a.CompletionTimestampMask != 0 {
		p.field(1, "completion timestamp_mask", "0x%016x", a.CompletionTimestampMask)
	} else {
		p.line(1, "completion_timestamp_mask not supported")
	}
	if a.HCACoreClock != 0 {
		p.field(1, "hca_core_clock", "%dkHZ", a.HCACoreClock)
	} else {
		p.line(1, "core clock not supported")
	}
	if a.RawPacketCaps != 0 {
		p.line(1, "raw packet caps:")
		p.flags(uint64(a.RawPacketCaps), rawPacketCaps)
	}
	p.field(1, "device_cap_flags_ex", "0x%X", uint64(a.DeviceCapFlagsEx))
	high := a.DeviceCapFlagsEx >> 32 << 32 // the others stand above
	// ibv_devinfo has no names for the flags of flushes.
	p.flags(uint64(high), cNames(high&^(verbs.DeviceCapExFlushGlobal|verbs.DeviceCapExFlushPersistent)))
	p.line(1, "tso_caps:")
	p.field(2, "max_tso", "%d", a.TSOCaps.MaxTSO)
	if a.TSOCaps.MaxTSO != 0 {
		p.qpTypes(a.TSOCaps.SupportedQPTs)
	}
	p.rss(&a.RSSCaps)
	p.field(1, "max_wq_type_rq", "%d", a.MaxWQTypeRQ)
	p.line(1, "packet_pacing_caps:")
	p.field(2, "qp_rate_limit_min", "%dkbps", a.PacketPacingCaps.QPRateLimitMin)
	p.field(2, "qp_rate_limit_max", "%dkbps", a.PacketPacingCaps.QPRateLimitMax)
	if a.PacketPacingCaps.QPRateLimitMax != 0 {
		p.qpTypes(a.PacketPacingCaps.SupportedQPTs)
	}
	p.tagMatching(&a.TMCaps)
	if c := a.CQModCaps; c.MaxCQCount != 0 && c.MaxCQPeriod != 0 {
		p.line(1, "cq moderation caps:")
		p.field(2, "max_cq_count", "%d", c.MaxCQCount)
		p.field(2, "max_cq_period", "%d us", c.MaxCQPeriod)
	}
	if a.MaxDMSize != 0 {
		p.field(1, "maximum available device memory", "%dBytes", a.MaxDMSize)
	}
}

// odp writes what can be done with memory that pages in on demand.
func (p *page) odp(a *verbs.DeviceInfoEx) {
	p.line(1, "general_odp_caps:")
	p.flags(uint64(a.ODPCaps.General), odpCaps)
	for _, t := range []struct {
		name string
		caps verbs.ODPTransportCap
	}{{"rc", a.ODPCaps.RC}, {"uc", a.ODPCaps.UC}, {"ud", a.ODPCaps.UD}, {"xrc", a.XRCODPCaps}} {
		p.line(1, t.name+"_odp_caps:")
		if t.caps == 0 {
			p.line(5, "NO SUPPORT")
		}
		p.flags(uint64(t.caps), odpTransportCaps)
	}
}

func (p *page) rss(c *verbs.RSSCaps) {
	p.line(1, "rss_caps:")
	p.field(2, "max_rwq_indirection_tables", "%d", c.MaxRWQIndirectionTables)
	p.field(2, "max_rwq_indirection_table_size", "%d", c.MaxRWQIndirectionTableSize)
	p.field(2, "rx_hash_function", "0x%x", uint64(c.RXHashFunction))
	p.field(2, "rx_hash_fields_mask", "0x%X", uint64(c.RXHashFieldsMask))
	if c.SupportedQPTs != 0 {
		p.qpTypes(c.SupportedQPTs)
	}
}

func (p *page) tagMatching(c *verbs.TMCaps) {
	if c.MaxNumTags == 0 {
		p.line(1, "tag matching not supported")
		return
	}
	p.numbers([]number{{"max_rndv_hdr_size", int(c.MaxRndvHdrSize)}, {"max_num_tags", int(c.MaxNumTags)}, {"max_ops", int(c.MaxOps)},
		{"max_sge", int(c.MaxSGE)}})
	p.line(1, "flags:")
	p.flags(uint64(c.Flags&verbs.TMCapRC), []flag{{uint64(verbs.TMCapRC), "IBV_TM_CAP_RC"}})
}

// qpTypes writes a set of types of queue pairs.
func (p *page) qpTypes(set uint32) {
	p.line(2, "supported_qp:")
	p.flags(uint64(set), qpTypes)
}
