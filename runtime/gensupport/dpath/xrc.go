package dpath

// ToSRQ sets the peer's shared receive queue for a request on a queue pair of type XRC_SEND: the number that SRQ.Num of package verbs
// returns there. Every request on such a queue pair needs one: a READ, a WRITE or an atomic operation accesses memory of that queue's
// protection domain. The next request in the same place of the batch keeps the number. Other types of queue pairs ignore it.
func (w SendWR) ToSRQ(num uint32) SendWR {
	given(w.r != nil)
	w.r.SRQN = num
	return w
}
