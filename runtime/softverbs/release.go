package softverbs

// newest is the release that the package imitates unless an option says otherwise.
const newest = "65.0"

// release is what an older library differs by.
type release struct {
	opsLess      uintptr // operations that verbs_context has less in front, each a pointer
	portAttrSize uintptr // sizeof(struct ibv_port_attr)
	symbols      int     // the newest version of its exported functions is IBVERBS_1.symbols
}

// newOps came to verbs_context between 56.1 and 65.0.
const newOps = 6

var releases = map[string]release{
	"33.2": {newOps, 52, 11},
	"44.0": {newOps, 52, 14},
	"56.1": {newOps, 56, 14},
	"65.0": {0, 56, 18},
}
