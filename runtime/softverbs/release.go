package softverbs

// newest is the release that the package imitates unless told otherwise.
const newest = "65.0"

// release is what an older library differs by.
type release struct {
	opsLess      uintptr  // operations that verbs_context has less in front, each a pointer
	portAttrSize uintptr  // sizeof(struct ibv_port_attr)
	missing      []string // exported functions
}

// newOps came to verbs_context between 56.1 and 65.0.
const newOps = 6

var (
	after33 = []string{"ibv_reg_dmabuf_mr", "ibv_import_dm", "ibv_unimport_dm"}
	after56 = []string{"ibv_reg_mr_ex", "ibv_dm_export_dmabuf_fd"}
)

var releases = map[string]release{
	"33.2": {newOps, 52, append(after33, after56...)},
	"44.0": {newOps, 52, after56},
	"56.1": {newOps, 56, after56},
	"65.0": {0, 56, nil},
}
