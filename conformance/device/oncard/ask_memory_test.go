//go:build linux && cgo

package oncard

import "fmt"

// page is a place in memory that rulecall makes of a low address.
const page = 4096

func (a *asker) memory() {
	a.deviceMemory()
	a.copies()
	a.regionsOfDeviceMemory()
	a.regions()
	a.changedRegions()
	for typ := range 5 {
		a.askAndEnd(fmt.Sprintf("alloc_mw type %d", typ), "ibv_alloc_mw", m{"type": typ}, "ibv_dealloc_mw", "mw")
	}
}

func (a *asker) deviceMemory() {
	for _, length := range []uint64{0, 1, 4, 63, 64, 65, 1000, 4095, 4096, 4097, 256 << 10, 256<<10 + 1, 1 << 40, 1<<64 - 1} {
		for _, align := range []uint32{0, 1, 6, 7, 12, 13, 31, 32, 64, 1 << 31} {
			a.askAndEnd(fmt.Sprintf("alloc_dm length %d align %d", length, align), "ibv_alloc_dm",
				m{"attr": m{"length": length, "log_align_req": uint64(align)}}, "ibv_free_dm", "dm")
		}
	}
	for bit := range 32 {
		a.askAndEnd(fmt.Sprintf("alloc_dm comp_mask %#x", uint32(1)<<bit), "ibv_alloc_dm",
			m{"attr": m{"length": 64, "comp_mask": uint64(1) << bit}}, "ibv_free_dm", "dm")
	}
}

func (a *asker) copies() {
	dm := a.ask("alloc_dm of 1000 bytes", "ibv_alloc_dm", m{"attr": m{"length": 1000}})
	for _, off := range []uint64{0, 1, 2, 4, 996, 998, 1000, 1004} {
		for _, n := range []uint64{0, 1, 2, 3, 4, 8, 1000} {
			args := m{"dm": dm, "dm_offset": off, "host_addr": page, "length": n}
			a.ask(fmt.Sprintf("memcpy_to_dm %d at %d", n, off), "ibv_memcpy_to_dm", args)
			a.ask(fmt.Sprintf("memcpy_from_dm %d at %d", n, off), "ibv_memcpy_from_dm", args)
		}
	}
	a.end("ibv_free_dm", "dm", dm)
}

func (a *asker) regionsOfDeviceMemory() {
	dm := a.ask("alloc_dm for regions", "ibv_alloc_dm", m{"attr": m{"length": 1000}})
	region := func(off, n uint64, access uint32) {
		a.askAndEnd(fmt.Sprintf("reg_dm_mr %d at %d access %#x", n, off, access), "ibv_reg_dm_mr",
			m{"dm": dm, "dm_offset": off, "length": n, "access": uint64(access)}, "ibv_dereg_mr", "mr")
	}
	for access := range uint32(1 << 9) {
		if access&(1<<6) == 0 { // ON_DEMAND
			region(0, 1000, access)
		}
	}
	for bit := 9; bit < 32; bit++ {
		region(0, 1000, 1<<5|1<<bit)
	}
	for _, off := range []uint64{0, 1, 8, 999, 1000, 1001, 1<<64 - 1} {
		for _, n := range []uint64{0, 1, 8, 1000, 1001, 1<<64 - 1} {
			if off != 0 || n != 1000 {
				region(off, n, 1<<5)
			}
		}
	}
	a.end("ibv_free_dm", "dm", dm)
}

// regions asks for every combination of the flags below FLUSH but ON_DEMAND, and for each other flag.
func (a *asker) regions() {
	region := func(question string, addr, length uint64, access uint32) uintptr {
		return a.ask(question, "ibv_reg_mr", m{"addr": addr, "length": length, "access": uint64(access)})
	}
	for access := range uint32(1 << 8) {
		if access&(1<<6) == 0 {
			a.end("ibv_dereg_mr", "mr", region(fmt.Sprintf("reg_mr access %#x", access), page, 100, access))
		}
	}
	for bit := 8; bit < 32; bit++ {
		a.end("ibv_dereg_mr", "mr", region(fmt.Sprintf("reg_mr access %#x", uint32(1)<<bit), page, 100, 1<<bit))
	}
	for _, length := range []uint64{0, 1, page, 1 << 63, 1<<64 - 1} {
		mr := region(fmt.Sprintf("reg_mr length %d", length), page, length, 1)
		a.end("ibv_dereg_mr", "mr", mr)
	}
	mr := region("reg_mr of a page", page, page, 1)
	keys := a.u.Read(mr, "struct ibv_mr", "lkey") == a.u.Read(mr, "struct ibv_mr", "rkey")
	a.note("reg_mr has one key for both ends", fmt.Sprint(keys))
	a.end("ibv_dereg_mr", "mr", mr)
	at := uint64(a.record("struct ibv_mr", nil)) // any memory
	for _, iova := range []uint64{0, 1, at + 1, at + page, 1<<64 - page} {
		name := fmt.Sprintf("reg_mr_iova at %d", iova)
		if iova >= at && iova < at+2*page {
			name = fmt.Sprintf("reg_mr_iova at its address and %d", iova-at)
		}
		a.askAndEnd(name, "ibv_reg_mr_iova", m{"addr": uintptr(at), "length": 100, "iova": iova, "access": 1}, "ibv_dereg_mr", "mr")
	}
}

// changedRegions changes a region by every combination of flags, with access that it may have and that it may not.
func (a *asker) changedRegions() {
	for flags := range 16 {
		for _, access := range []int{0, 1, 2, 7, 0x10, 0x20, 0x80, 1 << 28} {
			for _, length := range []uint64{0, 100} {
				mr, refused := a.call("ibv_reg_mr", m{"addr": page, "length": page, "access": 0xf})
				if refused != "" {
					a.t.Fatal(refused)
				}
				args := m{"mr": mr, "flags": flags, "access": access, "addr": page, "length": length}
				if flags&2 != 0 {
					args["pd"] = "@other"
				}
				a.ask(fmt.Sprintf("rereg_mr flags %#x access %#x length %d", flags, access, length), "ibv_rereg_mr", args)
				_, _ = a.call("ibv_dereg_mr", m{"mr": mr})
			}
		}
	}
}
