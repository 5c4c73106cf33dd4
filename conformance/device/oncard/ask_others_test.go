//go:build linux && cgo

package oncard

import "fmt"

func (a *asker) others() {
	for _, port := range []int{0, 1, 2, 9, 255} {
		a.ask(fmt.Sprintf("query_port %d", port), "ibv_query_port", m{"port_num": port})
		for _, index := range []int{-1, 0, 1, 2, 255, 256} {
			a.ask(fmt.Sprintf("query_gid %d of port %d", index, port), "ibv_query_gid", m{"port_num": port, "index": index})
			a.ask(fmt.Sprintf("query_pkey %d of port %d", index, port), "ibv_query_pkey", m{"port_num": port, "index": index})
		}
	}
	a.addressHandles()
	for mask := range 8 {
		a.askAndEnd(fmt.Sprintf("alloc_td comp_mask %d", mask), "ibv_alloc_td", m{"init_attr": m{"comp_mask": mask}}, "ibv_dealloc_td", "td")
		if mask&1 == 0 { // allocators
			a.askAndEnd(fmt.Sprintf("alloc_parent_domain comp_mask %d", mask), "ibv_alloc_parent_domain",
				m{"attr": m{"pd": "@valid", "comp_mask": mask}}, "ibv_dealloc_pd", "pd")
		}
	}
	for mask := range 8 {
		for _, oflags := range []int{0, 0o100, 0o300, 0o1000} {
			a.askAndEnd(fmt.Sprintf("open_xrcd comp_mask %d oflags %#o", mask, oflags), "ibv_open_xrcd",
				m{"xrcd_init_attr": m{"comp_mask": mask, "fd": -1, "oflags": oflags}}, "ibv_close_xrcd", "xrcd")
		}
	}
}

func (a *asker) addressHandles() {
	ah := func(question string, attr m) {
		a.askAndEnd("create_ah "+question, "ibv_create_ah", m{"attr": attr}, "ibv_destroy_ah", "ah")
	}
	for _, port := range []int{0, 1, 2, 9, 255} {
		for _, global := range []int{0, 1} {
			ah(fmt.Sprintf("port %d global %d", port, global), m{"port_num": port, "is_global": global})
		}
	}
	for _, index := range []int{0, 1, 3, 4, 255} {
		ah(fmt.Sprintf("sgid_index %d", index), m{"port_num": 1, "grh": m{"sgid_index": index}})
	}
	for _, n := range []int{1, 7, 8, 15, 16, 255} {
		ah(fmt.Sprintf("sl %d", n), m{"port_num": 1, "sl": n})
		ah(fmt.Sprintf("static_rate %d", n), m{"port_num": 1, "static_rate": n})
		ah(fmt.Sprintf("hop_limit %d", n), m{"port_num": 1, "grh": m{"hop_limit": n}})
	}
}
