package dpath

// ToSRQ names the shared receive queue of the peer that the request goes to on a queue pair of type XRC_SEND: the number that SRQ.Num
// of package verbs returns there. Every request on such a queue pair needs one: a READ, a WRITE and an atomic reach the memory of that
// queue's protection domain. A new operation in the same place of the batch keeps it. Other queue pairs do not look at it.
func (w SendWR) ToSRQ(num uint32) SendWR {
	given(w.sendRecord != nil)
	w.srqn = num
	return w
}
