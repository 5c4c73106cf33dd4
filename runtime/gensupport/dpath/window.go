package dpath

// Why unsafe: a request keeps the addresses of C objects, and of the entries that say whether they live, in members of a union. What
// keeps it sound: conformance/abi/layout holds the layout against C; entries are never freed, and Go does not move them. Unions in Go
// would replace it.

import (
	"sync"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

const opBindMW WROpcode = 8 // IBV_WR_BIND_MW

// windowMark is in a request that binds a window, where the number of an address handle has its upper half, which is never so large.
const windowMark = 1<<32 - 1

// bind is struct ibv_send_wr from wr on, as a request that binds a window has it.
type bind struct {
	window       uintptr  // ours, in wr: entry of the window
	windowSerial uint64   // ours, in wr
	region       uintptr  // ours, in wr: entry of the region
	regionLow    uint32   // ours, in wr
	inline       uint32   // ours, in padding, as in SendRequest
	srqn         uint32   // qp_type.xrc.remote_srqn
	regionHigh   uint32   // ours, in padding
	mw           uintptr  // bind_mw.mw
	rkey         uint32   // bind_mw.rkey
	mark         uint32   // ours, in padding
	info         bindInfo // bind_mw.bind_info
}

// bindInfo is struct ibv_mw_bind_info, without the padding behind it.
type bindInfo struct {
	mr     uintptr
	addr   uint64
	length uint64
	access uint32 // mw_access_flags
}

// mwBind is struct ibv_mw_bind.
type mwBind struct {
	id    uint64    // wr_id
	flags SendFlags // send_flags
	_     uint32
	info  bindInfo // bind_info
}

// Named lets requests name a C object, and lets its Close wait for posts that use it. It is as Address, for objects that few programs
// name in requests: before the first one it costs nothing. The zero value is closed.
type Named struct {
	c       unsafe.Pointer
	mu      sync.Mutex
	address Address
}

// Open lets requests name the C object.
func (n *Named) Open(c unsafe.Pointer) { n.c = c }

// name returns what requests keep. The caller keeps the object from being closed meanwhile.
func (n *Named) name() (e uintptr, serial uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.address.entry == nil {
		n.address.Open(n.c)
	}
	return uintptr(unsafe.Pointer(n.address.entry)), n.address.serial
}

// End closes the object: it waits until no post uses it, and runs destroy. Nobody names it meanwhile.
func (n *Named) End(verb, kind string, most time.Duration, destroy func() error) error {
	if n.c == nil {
		return fail.NeverOpened(verb, kind)
	}
	n.mu.Lock()
	named := n.address.entry != nil
	n.mu.Unlock()
	if !named {
		return destroy()
	}
	return n.address.End(verb, kind, most, destroy)
}

// Bind begins the binding of a memory window of type 2: IBV_WR_BIND_MW. mwBind is a struct ibv_mw_bind, of which everything is used but
// the address of the region. It panics without one of its arguments.
func Bind(w SendWR, rkey uint32, what unsafe.Pointer, window, region *Named) {
	given(w.r != nil)
	if what == nil || window == nil || region == nil {
		panic("dpath: a request binds a window to a region, and one of the two or their description is nil")
	}
	watchWindows()
	from := (*mwBind)(what)
	w.r.begin(from.id, opBindMW)
	w.r.Flags, w.r.Imm = from.flags, [4]byte{}
	b := (*bind)(unsafe.Pointer(&w.r.Remote))
	b.window, b.windowSerial = window.name()
	var serial uint64
	b.region, serial = region.name()
	b.regionLow, b.regionHigh = uint32(serial), uint32(serial>>32)
	b.mw, b.rkey, b.mark = uintptr(window.c), rkey, windowMark
	b.info.mr, b.info.addr, b.info.length, b.info.access = uintptr(region.c), from.info.addr, from.info.length, from.info.access
}

// NextRKey returns the key that follows rkey: the last byte, which the program chooses when it binds a memory window of type 2, is one
// larger, and the others are the same. C: ibv_inc_rkey.
func NextRKey(rkey uint32) uint32 { return rkey&^0xff | (rkey+1)&0xff }

const noRemote = "dpath: a request that binds a memory window has no remote address and key"
