package verbs_test

import (
	"fmt"
	"log"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// A GID comes as text from a command line, or from sysfs.
func ExampleParseGID() {
	for _, text := range []string{"fe80:0000:0000:0000:0200:5eff:fe00:0001", "192.0.2.1", "fe80::1%eth0"} {
		gid, err := verbs.ParseGID(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(gid)
	}
	// Output:
	// fe80::200:5eff:fe00:1
	// ::ffff:192.0.2.1
	// the GID "fe80::1%eth0" has a zone; leave %eth0 out
}

func ExampleMTU_Bytes() {
	fmt.Println(verbs.MTU1024, verbs.MTU1024.Bytes())
	// Output: 1024 1024
}

// What fits into the MTU of an Ethernet link, less its headers.
func ExampleMTUOf() {
	mtu, err := verbs.MTUOf(1500 - 58)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mtu.Bytes())
	// Output: 1024
}

// How long a queue pair waits for an acknowledgement. Devices know powers of 2 of 4.096 microseconds, and the next one is taken.
func ExampleTimeoutOf() {
	timeout, err := verbs.TimeoutOf(50 * time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	attr := verbs.NewQPAttr(verbs.QPStateRTS).Timeout(timeout).RetryCnt(7)
	fmt.Println(timeout, timeout.Duration(), attr != nil)
	// Output: 14 67.108864ms true
}

// How long a peer waits before it tries again, when no receive was posted for its message.
func ExampleRNRTimerOf() {
	timer, err := verbs.RNRTimerOf(time.Millisecond)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(timer, timer.Duration())
	_, err = verbs.RNRTimerOf(time.Second)
	fmt.Println(err)
	// Output:
	// 14 1.28ms
	// an RNR timer of 1s: it is 0 to 655.36ms
}

// The longest time through the subnet, as a port reports it.
func ExampleDelay_Duration() {
	port := verbs.PortInfo{SubnetTimeout: 18}
	fmt.Println(port.SubnetTimeout.Duration())
	// Output: 1.073741824s
}
