// Command bell has several peers ring a bell in device memory: each rings by a FETCH_ADD, and knows by the old value which ring is its
// own. The owner of the bell looks at it by DM.GetUint64 and sleeps in between. All ends are on one device here.
//
//	bell                  on a device made of software
//	bell -device mlx5_0   on a real one, which needs atomic operations
//
// The region needs three rights: ZERO_BASED, as each region of device memory has, so that the bell has the address 0; REMOTE_ATOMIC,
// without which a ring ends with REM_ACCESS_ERR; and LOCAL_WRITE, which REMOTE_ATOMIC needs. The queue pair of the owner needs
// QPAccessRemoteAtomic too. The bell is eight bytes, at a multiple of eight.
//
// Where the device has no memory, as soft-RoCE has none, the bell is in a buffer of the host, and the owner looks at it by an atomic Load.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

const (
	peers = 3
	rings = 100 // of each peer
)

func main() { start.Program("bell", ring) }

// ring makes the bell, has the peers ring it at the same time, and waits until it has heard all of them.
func ring(ctx context.Context, w io.Writer, dev *verbs.Device) (err error) {
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	attr, err := dev.QueryDeviceEx()
	if err != nil {
		return err
	}
	if attr.OrigAttr.AtomicCap == verbs.AtomicCapNone {
		return errors.New("the device has no atomic operations")
	}
	pd, err := dev.AllocPD() // of the owner, for all its connections
	if err != nil {
		return err
	}
	b, err := newBell(dev, pd, attr.MaxDMSize)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var ends [peers]*endpoint.Endpoint
	for i := range ends {
		config := endpoint.Config{Sends: 1, SendSize: 8, Access: verbs.MRAccessRemoteAtomic}
		owners := config
		owners.PD = pd
		peer, owner, err := endpoint.Pair(ctx, dev, config, owners, connect.Options{})
		if err != nil {
			return err
		}
		defer peer.Close()
		defer owner.Close()
		ends[i] = peer
	}
	rung := make(chan error)
	for _, peer := range ends {
		go func() {
			err := ringer(ctx, peer, b.mr)
			if err != nil {
				cancel() // the owner would wait for rings that do not come
			}
			rung <- err
		}()
	}
	heard, err := b.wait(ctx, peers*rings)
	for range peers { // nobody rings any more when the device is closed
		err = errors.Join(<-rung, err)
	}
	if err == nil {
		fmt.Fprintf(w, "%d peers rang the bell in memory of the %s %d times each; the owner heard %d\n", peers, b.where, rings, heard)
	}
	return err
}

// bell is a number that peers reach by a region.
type bell struct {
	where string // device or host
	mr    *verbs.MR
	look  func() (uint64, error)
}

// newBell makes a bell in memory of the device, or of the host if the device has none.
func newBell(dev *verbs.Device, pd *verbs.PD, maxDMSize uint64) (*bell, error) {
	if maxDMSize == 0 {
		return newHostBell(pd)
	}
	dm, err := dev.AllocDM(verbs.NewAllocDMAttr(64).LogAlignReq(3))
	if err != nil {
		return nil, err
	}
	if err := dm.PutUint64(0, 0); err != nil {
		return nil, err
	}
	mr, err := pd.RegDMMR(dm, 0, 64, verbs.DMAccessZeroBased|verbs.DMAccessRemoteAtomic|verbs.DMAccessLocalWrite)
	return &bell{"device", mr, func() (uint64, error) { return dm.GetUint64(0) }}, err
}

// newHostBell makes a bell in memory of the host. Closing the device leaves its buffer to the end of the program.
func newHostBell(pd *verbs.PD) (*bell, error) {
	buf, err := mem.New(8)
	if err != nil {
		return nil, err
	}
	count, err := buf.Uint64(0)
	if err != nil {
		return nil, err
	}
	mr, err := pd.RegMRFrom(buf, verbs.MRAccessRemoteAtomic|verbs.MRAccessLocalWrite)
	return &bell{"host", mr, func() (uint64, error) { return count.Load(), nil }}, err
}

// wait looks at the bell until it was rung n times. A look at a real device goes over its bus, so there is a pause between
// two of them, which grows while nobody rings.
func (b *bell) wait(ctx context.Context, n uint64) (heard uint64, err error) {
	for pause := time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		now, err := b.look()
		if err != nil || now >= n {
			return now, err
		}
		if now > heard {
			heard, pause = now, time.Microsecond
		}
		select {
		case <-ctx.Done():
			return now, fmt.Errorf("%d of %d rings came: %w", now, n, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// ringer rings, one time after the other. The device writes the old value of the bell to the memory of the peer.
func ringer(ctx context.Context, peer *endpoint.Endpoint, bell *verbs.MR) error {
	slot, err := peer.Slot(ctx)
	if err != nil {
		return err
	}
	defer slot.Free()
	slot.FetchAdd(bell.IOVA(), bell.RKey(), 1)
	for mine := range uint64(rings) {
		if _, err := slot.Do(ctx); err != nil {
			return err
		}
		if n := binary.NativeEndian.Uint64(slot.Bytes()); n < mine || n >= peers*rings {
			return fmt.Errorf("after %d rings of its own a peer found %d", mine, n)
		}
	}
	return nil
}
