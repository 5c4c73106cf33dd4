//go:build ignore

//verbsgen:with SendWR RecvWR

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// SendBatch is the memory of send requests, which QP.PostSend posts.
// Its methods are All, Close, From, Len and WR: go doc github.com/verbsgen/verbsgen/runtime/gensupport/dpath.SendBatch
type SendBatch = dpath.SendBatch

// RecvBatch is the memory of receive requests, which PostRecv posts.
// Its methods are All, Close, From, Len and WR: go doc github.com/verbsgen/verbsgen/runtime/gensupport/dpath.RecvBatch
type RecvBatch = dpath.RecvBatch

// SendRange and RecvRange are ranges of the requests of a batch. The From method of the batch returns one.
type (
	SendRange = dpath.SendRange
	RecvRange = dpath.RecvRange
)

// Stride is what the Advance method of a range adds to each of its requests.
type Stride = dpath.Stride

// BatchOption is an option of NewSendBatch and NewRecvBatch.
type BatchOption = dpath.BatchOption

// NewSendBatch makes a batch of wrs requests, at least 1, each with room for sgesPerWR elements. A batch of more than 1 GiB is refused
// (syscall.EINVAL).
func NewSendBatch(wrs, sgesPerWR int, opts ...BatchOption) (*SendBatch, error) {
	return dpath.NewSendBatch(wrs, sgesPerWR, opts...)
}

// NewRecvBatch makes a batch of receive requests. Arguments and errors are those of NewSendBatch.
func NewRecvBatch(wrs, sgesPerWR int, opts ...BatchOption) (*RecvBatch, error) {
	return dpath.NewRecvBatch(wrs, sgesPerWR, opts...)
}

// InlineRoom reserves that many bytes in each request for inline data, see SendWR.InlineData. Receives do not use them.
func InlineRoom(bytes int) BatchOption { return dpath.InlineRoom(bytes) }

// Never called: a method of runtime/gensupport/dpath is inlined in programs that import only this package if it is inlined here.
var _ = func(s *SendBatch, r *RecvBatch) {
	for range s.All() {
	}
	w := s.WR(s.Len())
	w.Send(0).SGE(0, 0, 0).Flags(0).SendImm(0, 0).SendInv(0, 0).Write(0, 0, 0).WriteImm(0, 0, 0, 0).Read(0, 0, 0).
		CompareSwap(0, 0, 0, 0, 0).FetchAdd(0, 0, 0, 0).To(nil, 0, 0).ToSRQ(0)
	w.SetID(0)
	w.SetFlags(0)
	w.SetImm(0)
	w.SetRemote(0)
	w.SetRKey(0)
	w.SetAddr(0, 0)
	s.From(0, 0)
	for range r.All() {
	}
	v := r.WR(r.Len())
	v.Recv(0).SGE(0, 0, 0)
	v.SetID(0)
	v.SetAddr(0, 0)
	r.From(0, 0)
}
