//go:build linux && cgo

package verbs_test

import (
	"fmt"
	"log"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// open gives a software device for an example.
func open() (*verbs.Device, func()) {
	soft := softverbs.New()
	lib, err := verbs.LoadFrom(soft)
	check(err)
	dev, err := lib.OpenDevice("soft0")
	check(err)
	return dev, func() {
		check(dev.CloseAll())
		check(soft.Close())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// All GIDs of a device, with the kind of network that each is of.
func ExampleDevice_QueryGIDTable() {
	dev, done := open()
	defer done()
	port, err := dev.QueryPort(1)
	check(err)
	gids := make([]verbs.GIDEntry, port.GIDTblLen)
	n, err := dev.QueryGIDTable(gids)
	check(err)
	for _, g := range gids[:n] {
		fmt.Println(g.PortNum, g.GIDIndex, g.GIDType, g.GID)
	}
	// Output:
	// 1 0 ROCE_V2 fe80::200:5eff:fe00:1
	// 1 1 ROCE_V2 ::ffff:10.0.0.1
}

// The rate of a port in Mbit/s, and what it is as a multiple of the slowest.
func ExampleLib_RateToMbps() {
	soft := softverbs.New()
	lib, err := verbs.LoadFrom(soft)
	check(err)
	mbps, err := lib.RateToMbps(verbs.Rate20Gbps)
	check(err)
	mult, err := lib.RateToMult(verbs.Rate20Gbps)
	check(err)
	text, err := lib.NodeTypeString(verbs.NodeTypeCA)
	check(err)
	fmt.Println(mbps, mult, text)
	check(soft.Close())
	// Output: 20000 8 channel adapter
}
