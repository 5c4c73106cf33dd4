package dpath

// SGE is struct ibv_sge: a piece of registered memory that a request sends from or receives into.
type SGE struct {
	Addr   uint64 // addr: address, or offset in a zero-based region
	Length uint32 // length: bytes
	LKey   uint32 // lkey: local key of the region
}
