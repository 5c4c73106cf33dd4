package suite

import "github.com/verbsgen/verbsgen/runtime/softverbs"

// Statuses of work completions that peers meet: values of enum ibv_wc_status.
const (
	StatusSuccess   = int(softverbs.StatusSuccess)
	StatusRemInvReq = int(softverbs.StatusRemInvReq)
	StatusRemAccess = int(softverbs.StatusRemAccess)
)

// PeerEnd moves bytes to and from memory registered with the device under test, as the other end of a connection. status is
// what the operation completed with; an error means that it could not be tried.
type PeerEnd interface {
	Write(rkey uint32, addr uint64, data []byte) (status int, err error)
	Read(rkey uint32, addr uint64, data []byte) (status int, err error)
	FetchAdd(rkey uint32, addr, add uint64) (old uint64, status int, err error)
	CompareSwap(rkey uint32, addr, compare, swap uint64) (old uint64, status int, err error)
}

// softPeer is the peer of a software device.
type softPeer struct{ p *softverbs.Peer }

func (s softPeer) Write(rkey uint32, addr uint64, data []byte) (int, error) {
	status, err := s.p.Write(rkey, addr, data)
	return int(status), err
}

func (s softPeer) Read(rkey uint32, addr uint64, data []byte) (int, error) {
	status, err := s.p.Read(rkey, addr, data)
	return int(status), err
}

func (s softPeer) FetchAdd(rkey uint32, addr, add uint64) (uint64, int, error) {
	old, status, err := s.p.FetchAdd(rkey, addr, add)
	return old, int(status), err
}

func (s softPeer) CompareSwap(rkey uint32, addr, compare, swap uint64) (uint64, int, error) {
	old, status, err := s.p.CompareSwap(rkey, addr, compare, swap)
	return old, int(status), err
}
