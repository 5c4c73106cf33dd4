package spec

import "slices"

// State vocabulary: the properties of objects that rules and cases speak of, beside the C fields of the object's
// struct. Counts are integers, truths are 0 and 1, `context`, `pd`, `mr` and the like are objects.
var objectProps = map[string][]string{
	"ibv_ah":            {"pd"},
	"ibv_buf":           {"addr", "context", "dmabuf", "end", "length", "mrs", "pd", "size"},
	"ibv_comp_channel":  {"cqs"},
	"ibv_context":       {"freed", "open"},
	"ibv_counters":      {},
	"ibv_cq":            {"events", "qps"},
	"ibv_cq_ex":         {"events", "qps"},
	"ibv_device":        {"open"},
	"ibv_dm":            {"freed", "imported", "length", "mrs"},
	"ibv_dmah":          {"mrs"},
	"ibv_flow":          {},
	"ibv_flow_action":   {"flows"},
	"ibv_mr":            {"access", "dm", "dmabuf", "imported", "length", "mws", "null", "pd"},
	"ibv_mw":            {"bound"},
	"ibv_pd":            {"imported", "mrs", "open", "parent_domain", "parent_domains"},
	"ibv_qp":            {"mcasts", "sq_sig_all"},
	"ibv_qp_ex":         {},
	"ibv_rwq_ind_table": {},
	"ibv_srq":           {"qps", "srq_type"},
	"ibv_td":            {"parent_domains"},
	"ibv_wq":            {},
	"ibv_xrcd":          {},
}

// propTypes are the C types of properties that are no counts or truths.
var propTypes = map[string]string{
	"context": "struct ibv_context *", "pd": "struct ibv_pd *", "length": "uint64_t", "size": "uint64_t", "addr": "void *", "end": "void *", "access": "unsigned int",
	"srq_type": "enum ibv_srq_type",
}

// propAliases are second names of properties, as the library's own sources have them.
var propAliases = map[string]map[string]string{
	"ibv_buf": {"length": "size"},
}

// PropAlias returns the other name that a case may use for a property, or "".
func PropAlias(tag, prop string) string { return propAliases[tag][prop] }

// IsObject reports whether a struct is used through handles. What a case says of such a struct are properties, and a
// property that it does not give is unknown, not neutral. tag is without "struct ".
func IsObject(tag string) bool {
	_, ok := objectProps[tag]
	return ok
}

// ObjectProps lists the properties that rules may use of an object, besides its C fields.
func ObjectProps(tag string) []string { return slices.Clone(objectProps[tag]) }
