//go:build linux && cgo

package verbs_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// The devices of the library. A program uses verbs.Load, which finds libibverbs; a test uses a device made of software.
func ExampleLib_OpenDevice() {
	soft := softverbs.New(softverbs.Name("mlx5_0"))
	lib, err := verbs.LoadFrom(soft)
	check(err)
	list, err := lib.Devices()
	check(err)
	for _, d := range list {
		fmt.Println(d.Name)
	}
	dev, err := lib.OpenDevice("mlx5_0")
	check(err)
	fmt.Println(errors.Join(dev.CloseAll(), soft.Close()))
	// Output:
	// mlx5_0
	// <nil>
}

// What a device can do. Features that it lacks are 0.
func ExampleDevice_QueryDeviceEx() {
	dev, done := open()
	defer done()
	attr, err := dev.QueryDeviceEx()
	check(err)
	fmt.Println(attr.OrigAttr.PhysPortCnt, "port, atomics:", attr.OrigAttr.AtomicCap, attr.MaxDMSize > 0)
	// Output: 1 port, atomics: HCA true
}

// A port is looked at before it is used.
func ExampleDevice_QueryPort() {
	dev, done := open()
	defer done()
	port, err := dev.QueryPort(1)
	check(err)
	fmt.Println(port.State, port.LinkLayer, port.ActiveMTU)
	// Output: ACTIVE ETHERNET 4096
}

// An address of the port: on Ethernet, of one of its network interfaces.
func ExampleDevice_QueryGID() {
	dev, done := open()
	defer done()
	gid, err := dev.QueryGID(1, 1)
	fmt.Println(gid, err)
	// Output: ::ffff:10.0.0.1 <nil>
}

// Events of a device are waited for, until a context ends, and acknowledged by Done.
func ExampleDevice_NextEvent() {
	soft := softverbs.New()
	lib, err := verbs.LoadFrom(soft)
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	check(soft.SetPort("soft0", 1, false)) // somebody pulls the cable
	event, err := dev.NextEvent(context.Background())
	check(err)
	fmt.Println(event.Type, event.Port)
	event.Done()
	check(errors.Join(dev.CloseAll(), soft.Close()))
	// Output: PORT_ERR 1
}

// A counter of completed requests, to be attached to a queue pair, is read without a queue to poll.
func ExampleDevice_CreateCompCntr() {
	dev, done := open()
	defer done()
	counter, err := dev.CreateCompCntr(verbs.NewCompCntrInitAttr(verbs.CompCntrTypeWRs))
	check(err)
	check(counter.Set(40))
	check(counter.Inc(2))
	value, err := counter.Read()
	fmt.Println(value, err)
	// Output: 42 <nil>
}

// C code of another package gets the object of the library. Its handle stays open until C is done.
func ExamplePD_CPtr() {
	dev, done := open()
	defer done()
	pd, err := dev.AllocPD()
	check(err)
	fmt.Println(pd.CPtr() != nil)
	check(pd.Close())
	fmt.Println(pd.CPtr() != nil)
	// Output:
	// true
	// false
}

// The best GID of a port, and the best one in a network.
func ExampleDevice_ChooseGID() {
	dev, done := open()
	defer done()
	gid, err := dev.ChooseGID(1)
	check(err)
	fmt.Println(gid.GIDType, gid.GID.Addr().IsValid())
	_, err = dev.ChooseGID(1, netip.MustParsePrefix("203.0.113.0/24"))
	fmt.Println(errors.Is(err, syscall.ENODATA))
	// Output:
	// ROCE_V2 true
	// true
}
