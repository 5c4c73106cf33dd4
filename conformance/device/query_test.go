//go:build linux && cgo

package device

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// devinfo gives what ibv_devinfo -v prints of a device: name and value of each line that has both. Of names that come
// twice the first one counts.
func devinfo(t *testing.T, device string) map[string]string {
	t.Helper()
	out, err := exec.Command("ibv_devinfo", "-v", "-d", device).CombinedOutput()
	if err != nil {
		lacking(t, "ibv_devinfo: %v\n%s", err, out)
	}
	said := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), ":\t")
		if _, twice := said[name]; ok && !twice {
			said[name] = strings.TrimSpace(value)
		}
	}
	return said
}

// TestQuery compares the queries field by field with what the C program ibv_devinfo prints.
func TestQuery(t *testing.T) {
	b := open(t)
	said := devinfo(t, b.name)
	ex := must(b.dev.QueryDeviceEx())(t)
	fields := deviceFields(&ex.OrigAttr)
	fields["max_wq_type_rq"] = fmt.Sprint(ex.MaxWQTypeRQ)
	fields["device_cap_flags_ex"] = fmt.Sprintf("0x%X", uint64(ex.DeviceCapFlagsEx))
	fields["num_comp_vectors"] = fmt.Sprint(b.dev.NumCompVectors())
	for name, value := range portFields(must(b.dev.QueryPort(1))(t)) {
		fields[name] = value
	}
	compared := 0
	for name, ours := range fields {
		theirs, ok := said[name]
		if !ok {
			t.Logf("ibv_devinfo does not print %s", name)
			continue
		}
		compared++
		if ours != theirs && ours != codeOf(theirs) {
			t.Errorf("%s: %q, ibv_devinfo says %q", name, ours, theirs)
		}
	}
	if compared < 50 {
		t.Errorf("compared %d fields only", compared)
	}
	t.Logf("compared %d fields", compared)
	plain := must(b.dev.QueryDevice())(t)
	if *plain != ex.OrigAttr {
		t.Errorf("the two queries differ:\n%+v\n%+v", *plain, ex.OrigAttr)
	}
}

// codeOf gives the number that ends a text such as "PORT_ACTIVE (4)".
func codeOf(s string) string {
	at := strings.LastIndex(s, "(")
	if at < 0 {
		return ""
	}
	return strings.TrimSuffix(s[at+1:], ")")
}

// deviceFields gives the attributes in the words and forms of ibv_devinfo.
func deviceFields(a *verbs.DeviceAttr) map[string]string {
	out := map[string]string{
		"fw_ver": a.FWVer, "node_guid": guidText(a.NodeGUID), "sys_image_guid": guidText(a.SysImageGUID),
		"vendor_id": fmt.Sprintf("0x%04x", a.VendorID), "hw_ver": fmt.Sprintf("0x%X", a.HWVer),
		"max_mr_size": fmt.Sprintf("0x%x", a.MaxMRSize), "page_size_cap": fmt.Sprintf("0x%x", a.PageSizeCap),
		"device_cap_flags": fmt.Sprintf("0x%08x", uint32(a.DeviceCapFlags)), "atomic_cap": fmt.Sprint(uint32(a.AtomicCap)),
	}
	for name, v := range map[string]int{
		"vendor_part_id": int(a.VendorPartID), "phys_port_cnt": int(a.PhysPortCnt), "max_qp": a.MaxQP, "max_qp_wr": a.MaxQPWR,
		"max_sge": a.MaxSGE, "max_sge_rd": a.MaxSGERd, "max_cq": a.MaxCQ, "max_cqe": a.MaxCQE, "max_mr": a.MaxMR, "max_pd": a.MaxPD,
		"max_qp_rd_atom": a.MaxQPRdAtom, "max_ee_rd_atom": a.MaxEERdAtom, "max_res_rd_atom": a.MaxResRdAtom,
		"max_qp_init_rd_atom": a.MaxQPInitRdAtom, "max_ee_init_rd_atom": a.MaxEEInitRdAtom, "max_ee": a.MaxEE, "max_rdd": a.MaxRDD,
		"max_mw": a.MaxMW, "max_raw_ipv6_qp": a.MaxRawIPv6QP, "max_raw_ethy_qp": a.MaxRawEthyQP, "max_mcast_grp": a.MaxMcastGrp,
		"max_mcast_qp_attach": a.MaxMcastQPAttach, "max_total_mcast_qp_attach": a.MaxTotalMcastQPAttach, "max_ah": a.MaxAH,
		"max_fmr": a.MaxFMR, "max_srq": a.MaxSRQ, "max_srq_wr": a.MaxSRQWR, "max_srq_sge": a.MaxSRQSGE,
		"max_pkeys": int(a.MaxPKeys), "local_ca_ack_delay": int(a.LocalCAAckDelay),
	} {
		out[name] = fmt.Sprint(v)
	}
	return out
}

func portFields(p *verbs.PortAttr) map[string]string {
	out := map[string]string{
		"port_lmc": fmt.Sprintf("0x%02x", p.LMC), "max_msg_sz": fmt.Sprintf("0x%x", p.MaxMsgSz),
		"port_cap_flags": fmt.Sprintf("0x%08x", uint32(p.PortCapFlags)), "port_cap_flags2": fmt.Sprintf("0x%04x", uint16(p.PortCapFlags2)),
		"bad_pkey_cntr": fmt.Sprintf("0x%x", p.BadPKeyCntr), "qkey_viol_cntr": fmt.Sprintf("0x%x", p.QKeyViolCntr),
		"link_layer": map[verbs.LinkLayer]string{verbs.LinkLayerEthernet: "Ethernet", verbs.LinkLayerInfiniband: "InfiniBand"}[p.LinkLayer],
	}
	for name, v := range map[string]int{
		"state": int(p.State), "max_mtu": int(p.MaxMTU), "active_mtu": int(p.ActiveMTU), "sm_lid": int(p.SMLID), "port_lid": int(p.LID),
		"max_vl_num": int(p.MaxVLNum), "sm_sl": int(p.SMSL), "pkey_tbl_len": int(p.PKeyTblLen), "gid_tbl_len": p.GIDTblLen,
		"subnet_timeout": int(p.SubnetTimeout), "init_type_reply": int(p.InitTypeReply), "active_width": int(p.ActiveWidth),
		"active_speed": int(p.ActiveSpeed), "phys_state": int(p.PhysState),
	} {
		out[name] = fmt.Sprint(v)
	}
	return out
}
