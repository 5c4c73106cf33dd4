package far

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Attributes of every RC connection, in the codes of struct ibv_qp_attr. A packet is sent again after one second; a receiver
// that is not ready is waited for until somebody gives up.
const (
	Timeout     = 18
	RetryCnt    = 6
	RNRRetry    = 7 // for ever
	MinRNRTimer = 12
	RDAtomic    = 1 // READs and atomics at a time, both ways
)

const (
	hopLimit = 64
	qkey     = 0x1ee7
)

// AnyGID has OpenPort choose an entry of the GID table.
const AnyGID = -1

// Port is a port of an open device, and the entry of its GID table by which it is reached.
type Port struct {
	number   uint8
	gidIndex int // -1: by LID
	gid      verbs.GID
	attr     verbs.PortInfo
}

// OpenPort asks a port of the device called name. gidIndex is an entry of its GID table, or AnyGID: the first entry of
// RoCE v2, and on InfiniBand none, as the LID is enough within a subnet.
func OpenPort(dev *verbs.Device, name string, number uint8, gidIndex int) (*Port, error) {
	attr, err := dev.QueryPort(number)
	if err != nil {
		return nil, err
	}
	if attr.State != verbs.PortStateActive {
		return nil, fmt.Errorf("%w: port %d of %s is %v", ErrNoWay, number, name, attr.State)
	}
	p := &Port{number: number, gidIndex: gidIndex, attr: *attr}
	if gidIndex >= 0 {
		p.gid, err = dev.QueryGID(number, gidIndex)
		if err == nil && p.gid == (verbs.GID{}) {
			err = fmt.Errorf("%w: entry %d of the GID table of port %d of %s is empty", ErrNoWay, gidIndex, number, name)
		}
		return p, err
	}
	if attr.LinkLayer != verbs.LinkLayerEthernet && attr.LID != 0 {
		return p, nil
	}
	for p.gidIndex = range min(attr.GIDTblLen, 256) { // what sgid_index can name
		if p.gid, err = dev.QueryGID(number, p.gidIndex); err != nil && !errors.Is(err, syscall.ENODATA) {
			return nil, err
		}
		if p.gid != (verbs.GID{}) && routable(name, number, p.gidIndex) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: port %d of %s has no GID of RoCE v2", ErrNoWay, number, name)
}

// routable reports whether an entry is of RoCE v2. Where the kernel tells no type there is only one.
func routable(name string, port uint8, index int) bool {
	text, err := os.ReadFile(sysfs.Path("class/infiniband", name, "ports", strconv.Itoa(int(port)), "gid_attrs/types",
		strconv.Itoa(index)))
	return err != nil || strings.TrimSpace(string(text)) == "RoCE v2"
}

// Number is the number of the port.
func (p *Port) Number() uint8 { return p.number }

// GID is the address by which the port is reached; zero where that is its LID.
func (p *Port) GID() verbs.GID { return p.gid }

// Attr is what the port told of itself.
func (p *Port) Attr() verbs.PortInfo { return p.attr }

// Init brings a queue pair from RESET to INIT. access is for RC and UC: what the other end may do.
func (p *Port) Init(qp *verbs.QP, kind Kind, access verbs.QPAccess) error {
	return qp.Modify(p.steps(kind, access, Address{}, Address{}).Init())
}

// Steps are the changes of a queue pair from RESET to RTS, as the setups of all types of queue pairs have them.
type Steps interface {
	Init() *verbs.QPAttr
	RTR() *verbs.QPAttr
	RTS() *verbs.QPAttr
}

func (p *Port) steps(kind Kind, access verbs.QPAccess, self, to Address) Steps {
	mtu := verbs.MTU(min(self.MTU, to.MTU))
	switch kind {
	case UD:
		return verbs.UDSetup{PortNum: p.number, QKey: qkey, SQPSN: self.PSN}
	case UC:
		return verbs.UCSetup{PortNum: p.number, AccessFlags: access, AV: p.Way(to), PathMTU: mtu, DestQPNum: to.QPN, RQPSN: to.PSN,
			SQPSN: self.PSN}
	}
	return verbs.RCSetup{
		PortNum: p.number, AccessFlags: access, AV: p.Way(to), PathMTU: mtu, DestQPNum: to.QPN, RQPSN: to.PSN, SQPSN: self.PSN,
		MaxDestRDAtomic: RDAtomic, MaxRDAtomic: RDAtomic, MinRNRTimer: MinRNRTimer, Timeout: Timeout, RetryCnt: RetryCnt, RNRRetry: RNRRetry,
	}
}

// Address returns the address of a queue pair on the port, without a window.
func (p *Port) Address(qp *verbs.QP, kind Kind) Address {
	return Address{Kind: kind, QPN: qp.Num(), PSN: rand.Uint32N(1 << 24), QKey: qkey, GID: p.gid, LID: p.attr.LID,
		MTU: uint32(p.attr.ActiveMTU)}
}

// Way gives the way to an address.
func (p *Port) Way(to Address) verbs.AHAttr {
	way := verbs.AHAttr{PortNum: p.number, DLID: to.LID}
	if to.GID != ([16]byte{}) && p.gidIndex >= 0 {
		way.IsGlobal = true
		way.DGID = to.GID
		way.SGIDIndex = uint8(p.gidIndex)
		way.HopLimit = hopLimit
	}
	return way
}

// Connect brings a queue pair from INIT to RTS. self is its address, to the other's.
func (p *Port) Connect(qp *verbs.QP, self, to Address) error {
	if err := p.Receive(qp, self, to); err != nil {
		return err
	}
	return p.Send(qp, self)
}

// Send brings a queue pair from RTR to RTS, in which it sends.
func (p *Port) Send(qp *verbs.QP, self Address) error {
	if err := qp.Modify(p.steps(self.Kind, 0, self, Address{}).RTS()); err != nil {
		return fmt.Errorf("getting ready to send: %w", err)
	}
	return nil
}

// Receive brings a queue pair from INIT to RTR, in which it receives.
func (p *Port) Receive(qp *verbs.QP, self, to Address) error {
	if self.Kind != to.Kind {
		return fmt.Errorf("connecting a queue pair of kind %q to one of kind %q", self.Kind, to.Kind)
	}
	if to.QPN == 0 || to.QPN >= 1<<24 || to.PSN >= 1<<24 || to.MTU < 1 || to.MTU > 5 {
		return fmt.Errorf("no queue pair has the number %#x, packet number %#x and MTU %d (enum ibv_mtu)", to.QPN, to.PSN, to.MTU)
	}
	if err := qp.Modify(p.steps(self.Kind, 0, self, to).RTR()); err != nil {
		return fmt.Errorf("getting ready to receive from %+v: %w", to, err)
	}
	return nil
}
