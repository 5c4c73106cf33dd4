//go:build linux && cgo

package verbs_test

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// Memory of Go is registered as it is: it stays in its place until the region is closed. A wrong set of flags is refused before the
// call, by a rule of the man page.
func ExamplePD_RegMR() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	buf := make([]byte, 4096)
	_, err = pd.RegMR(buf, verbs.MRAccessRemoteWrite) //verbsgen:ignore VR-ibv_reg_mr-access-0001 to show the error
	fmt.Println(err)
	mr, err := pd.RegMR(buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite)
	check(err)
	addr, rkey, err := mr.Remote() // what a peer needs
	fmt.Println(mr.Length(), addr == uint64(mr.Addr()), rkey == mr.RKey(), err)
	fmt.Println(mr.Close())
	// Output:
	// ibv_reg_mr: access REMOTE_WRITE (0x2): REMOTE_WRITE needs LOCAL_WRITE; add MRAccessLocalWrite [VR-ibv_reg_mr-access-0001]
	// 4096 true true <nil>
	// <nil>
}

// A word of a buffer is a value of sync/atomic: here the counter of a server, which a client changes by FETCH_ADD while the server may read
// it, and the old value, which the device of the client writes.
func ExamplePD_RegMRFrom_atomic() {
	dev, done := open()
	defer done()
	client, server, err := verbstest.Connect(dev, dev)
	check(err)
	buf, err := mem.New(16)
	check(err)
	counter, err := buf.Uint64(0)
	check(err)
	old, err := buf.Uint64(8)
	check(err)
	counter.Store(40)
	theirs, err := server.PD.RegMRFrom(buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteAtomic)
	check(err)
	mine, err := client.PD.RegMRFrom(buf, verbs.MRAccessLocalWrite)
	check(err)
	batch, err := verbs.NewSendBatch(1, 1)
	check(err)
	result, err := mine.SGE(8, 8)
	check(err)
	batch.WR(0).FetchAdd(1, theirs.IOVA(), theirs.RKey(), 2).Add(result).Flags(verbs.SendSignaled)
	_, err = client.QP.PostSend(batch, 1)
	check(err)
	wcs, err := verbstest.Wait(client.SendCQ, 1)
	check(err)
	fmt.Println(wcs[0].Status, old.Load(), counter.Load())
	_, err = buf.Uint64(4)
	fmt.Println(err)
	check(errors.Join(theirs.Close(), mine.Close(), buf.Close()))
	// Output:
	// SUCCESS 40 42
	// buffer of 16 bytes: offset 4 is not a multiple of 8, as an atomic word needs: invalid argument (EINVAL)
}

// Memory of the device is an io.WriterAt and an io.ReaderAt; most devices copy words of 4 bytes. Peers reach it by a region that
// counts from 0.
func ExampleDevice_AllocDM() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	dm, err := dev.AllocDM(verbs.NewAllocDMAttr(4096))
	check(err)
	n, err := dm.WriteAt([]byte("on the device   "), 64)
	check(err)
	back := make([]byte, n)
	_, err = dm.ReadAt(back, 64)
	check(err)
	mr, err := pd.RegDMMR(dm, 0, 4096, verbs.DMAccessZeroBased|verbs.DMAccessRemoteRead)
	check(err)
	addr, _, err := mr.Remote()
	check(err)
	fmt.Printf("%q %d\n", back, addr)
	fmt.Println(errors.Is(dm.Close(), syscall.EBUSY))
	// Output:
	// "on the device   " 0
	// true
}

// A parent domain stands in the place of the domain that it extends. One with a thread domain is for a single thread at a time, and
// what is made in it may do without locks.
func ExampleDevice_AllocParentDomain() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	td, err := dev.AllocTD()
	check(err)
	parent, err := dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td))
	check(err)
	cq, err := dev.CreateCQ(1, nil, 0)
	check(err)
	qp, err := parent.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1})
	check(err)
	fmt.Println(qp.PD() == parent, parent.Parent() == pd)
	// Output: true true
}
