//go:build ignore

//verbsgen:with ibv_start_poll ibv_init_ah_from_wc

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// WC returns the fields as those of a completion that PollInto returns, for PD.CreateAHFromWC and Device.InitAHFromWC: these need
// WCFieldSrcQP, WCFieldSLID, WCFieldSL and WCFieldDLIDPathBits. Of a longer SLID, WC keeps the low 16 bits. WC of nil is nil.
func (w *WCEx) WC() *dpath.WC {
	if w == nil {
		return nil
	}
	return &dpath.WC{
		ID: w.ID, Status: dpath.WCStatus(w.Status), Opcode: dpath.WCOpcode(w.Opcode), VendorErr: w.VendorErr, ByteLen: w.ByteLen,
		ImmData: w.ImmData, QPNum: w.QPNum, SrcQP: w.SrcQP, Flags: dpath.WCFlag(w.Flags), SLID: uint16(w.SLID), SL: w.SL,
		DLIDPathBits: w.DLIDPathBits,
	}
}
