//go:build linux

package link

import (
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Config is what both sides of a connection are made with. Begin with Default and change what the test is about.
type Config struct {
	Type             verbs.QPType  // RC, UC or UD; a UD side is brought to RTS with QKey, and the requests carry the way
	CQE              int           // completions that each side's queue is asked to have room for
	Fields           verbs.WCField // that an extended queue is asked for; 0 makes plain queues
	Ops              verbs.QPOp    // that an extended queue pair is asked for; 0 makes plain queue pairs
	SendWR, RecvWR   uint32
	SendSGE, RecvSGE uint32
	Inline           uint32         // bytes
	QKey             uint32         // of UD
	QP               verbs.QPAccess // what a queue pair lets its peer do
	MR               verbs.MRAccess // what a side's memory is registered for
	Patience
	RNRRetry uint8          // how often a request is sent again that the peer had no receive for; 7 has no end
	RNRTimer verbs.RNRTimer // that this side asks its peer to wait then
	Deadline time.Duration  // how long Wait waits
}

// Patience is how long a side waits for the acknowledgement of its peer, and how often it then tries again.
type Patience struct {
	Timeout verbs.Timeout // 0 waits for ever
	Retries uint8         // of 7, some devices never come to an end
}

// Usual is patience for a peer that is there.
var Usual = Patience{Timeout: 14, Retries: 6}

// Limit is the time after which a request is given up for sure: a device may wait up to four times as long as it was told.
func (p Patience) Limit() time.Duration {
	return 4 * (time.Duration(p.Retries) + 1) * p.Timeout.Duration()
}

// Default allows everything, with usual patience.
func Default() Config {
	return Config{
		Type: verbs.QPTypeRC, CQE: 64, SendWR: 16, RecvWR: 16, SendSGE: 1, RecvSGE: 1, QKey: 0x1d1d,
		QP:       verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead | verbs.QPAccessRemoteAtomic,
		MR:       verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead | verbs.MRAccessRemoteAtomic,
		Patience: Usual, RNRRetry: 6, RNRTimer: 12, Deadline: 10 * time.Second,
	}
}

// Init returns the attributes of the change to INIT, on a port.
func (c *Config) Init(port uint8) *verbs.QPAttr {
	return c.steps(port, verbs.AHAttr{}, 0, 0).Init()
}

// RTR returns the attributes of the change to RTR, towards a queue pair at the end of a way.
func (c *Config) RTR(way verbs.AHAttr, mtu verbs.MTU, qpn uint32) *verbs.QPAttr {
	return c.steps(0, way, mtu, qpn).RTR()
}

// RTS returns the attributes of the change to RTS.
func (c *Config) RTS() *verbs.QPAttr {
	return c.steps(0, verbs.AHAttr{}, 0, 0).RTS()
}

func (c *Config) steps(port uint8, way verbs.AHAttr, mtu verbs.MTU, qpn uint32) far.Steps {
	switch c.Type {
	case verbs.QPTypeUD:
		return verbs.UDSetup{PortNum: port, QKey: c.QKey}
	case verbs.QPTypeUC:
		return verbs.UCSetup{PortNum: port, AccessFlags: c.QP, AV: way, PathMTU: mtu, DestQPNum: qpn}
	}
	return verbs.RCSetup{
		PortNum: port, AccessFlags: c.QP, AV: way, PathMTU: mtu, DestQPNum: qpn, MaxDestRDAtomic: 1, MaxRDAtomic: 1,
		MinRNRTimer: c.RNRTimer, Timeout: c.Timeout, RetryCnt: c.Retries, RNRRetry: c.RNRRetry,
	}
}
