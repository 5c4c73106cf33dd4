//go:build ignore

//verbsgen:face void *mlx5dv_dm_map_op_addr(struct ibv_dm *, uint8_t)

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// DMOp is device memory as it is mapped for an operation: an access of 4 or 8 bytes has the device carry it out there. Each is exactly one
// load or store. Use it only by pointer.
//
// C: mlx5dv_dm_map_op_addr, mlx5dv_dm_map_op_addr(3).
type DMOp struct {
	h   object.Handle
	mem devmem.Mapped
	dm  *verbs.DM
}

// base returns what all handles have, also for a nil DMOp and one that was never opened.
func (o *DMOp) base() *object.Handle {
	if o == nil {
		return object.Nil("DMOp", "munmap")
	}
	return o.h.Or("DMOp", "munmap")
}

// MapDMOp maps device memory for an operation of the device.
//
//   - op: number of the operation, as the specification of the device has it.
//
// Since rdma-core 35.0; with an older library it returns errors.ErrUnsupported.
//
// [rules mlx5dv_dm_map_op_addr]
//
// C: mlx5dv_dm_map_op_addr, mlx5dv_dm_map_op_addr(3).
func (l *Lib) MapDMOp(dm *verbs.DM, op uint8) (*DMOp, error) {
	l = object.OrZero(l)
	const verb = "mlx5dv_dm_map_op_addr"
	if l.fn[symMlx5dv_dm_map_op_addr] == 0 {
		return nil, l.missing(verb, symMlx5dv_dm_map_op_addr)
	}
	uses := bridge.Uses{Verb: verb, Lib: l.verbs}
	defer uses.Exit()
	held, err := bridge.Enter(&uses, "dm", dm)
	if err != nil {
		return nil, err
	}
	length, known := dm.Length()
	if !known {
		return nil, &verr.Error{Verb: verb, Refused: true, Errno: syscall.EINVAL,
			Msg: "the length of this DM is not known, so that nothing says where the mapping ends; import it with its length"}
	}
	ptr, errno := rawDMMapOpAddr(l.fn[symMlx5dv_dm_map_op_addr], held.C, op)
	if ptr == nil {
		return nil, uses.Removed(fail.Failed(verb, errno, nil))
	}
	o := &DMOp{dm: dm}
	o.h.Make(o, "DMOp", object.Origin{Root: held.Root, Lib: l}, ptr, "munmap", o.mem.Unmap)
	o.h.Guard = &o.mem
	o.mem.Open(verb, ptr, length)
	if err := o.h.Adopt(&held.Node); err != nil {
		return nil, err
	}
	return o, nil
}

// Close unmaps the memory. It waits for running accesses, at most 10 s; later ones, and a second Close, return os.ErrClosed. The DM
// cannot be closed before.
func (o *DMOp) Close() error { return o.base().Close() }

// DM returns the device memory.
func (o *DMOp) DM() *verbs.DM { return object.OrZero(o).dm }

// Len returns the number of bytes.
func (o *DMOp) Len() uint64 { return o.memory().Len() }

// PutUint32 writes v at byte off, a multiple of 4, with one store, in the byte order of the processor, which has left the processor when it
// returns. A range beyond the end is EFAULT, another offset is EINVAL, and an access after Close is os.ErrClosed.
func (o *DMOp) PutUint32(off int64, v uint32) error { return o.memory().PutUint32(off, v) }

// PutUint64 is PutUint32 for 8 bytes, at a multiple of 8.
func (o *DMOp) PutUint64(off int64, v uint64) error { return o.memory().PutUint64(off, v) }

// GetUint32 reads the 4 bytes at byte off, a multiple of 4, with one load, in the byte order of the processor. Errors are those of
// PutUint32.
func (o *DMOp) GetUint32(off int64) (uint32, error) { return o.memory().GetUint32(off) }

// GetUint64 is GetUint32 for 8 bytes, at a multiple of 8.
func (o *DMOp) GetUint64(off int64) (uint64, error) { return o.memory().GetUint64(off) }

func (o *DMOp) memory() *devmem.Mapped {
	if o == nil {
		return nil
	}
	return &o.mem
}
