package recording

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// counts are the fields and arguments that say how many records a pointer points to, where it is not one, or their number. "<<" stands
// before a logarithm.
var counts = map[string]string{
	"struct ibv_send_wr.sg_list":                 "num_sge",
	"struct ibv_recv_wr.sg_list":                 "num_sge",
	"struct ibv_ops_wr.tm.add.sg_list":           "tm.add.num_sge",
	"struct ibv_fd_arr.arr":                      "count",
	"struct ibv_rx_hash_conf.rx_hash_key":        "rx_hash_key_len",
	"struct ibv_rwq_ind_table_init_attr.ind_tbl": "<<log_ind_tbl_size",
	"ibv_advise_mr.sg_list":                      "num_sge",
	"ibv_poll_cq.wc":                             "num_entries",
	"ibv_wr_set_sge_list.sg_list":                "num_sge",
	"ibv_wr_set_inline_data_list.buf_list":       "num_buf",
	"ibv_read_counters.counters_value":           "ncounters",
	"ibv_query_gid_table.entries":                "max_entries",
	"ibv_resolve_eth_l2_from_gid.eth_mac":        "6",
}

// chosen are the pointers without a type that point to one of several records: the field that says which, and the records by its value.
var chosen = map[string]struct {
	tag string
	is  map[string]string // enumerator or number -> record
}{
	"struct ibv_flow_action_esp_attr.keymat_ptr": {"keymat_proto", map[string]string{
		"IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM": "struct ib_uverbs_flow_action_esp_keymat_aes_gcm"}},
	"struct ibv_flow_action_esp_attr.replay_ptr": {"replay_proto", map[string]string{
		"IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP": "struct ib_uverbs_flow_action_esp_replay_bmp"}},
	"struct ib_uverbs_flow_action_esp_encap.val_ptr": {"type", map[string]string{
		"IBV_FLOW_SPEC_ETH": "struct ibv_flow_eth_filter", "IBV_FLOW_SPEC_IPV4": "struct ibv_flow_ipv4_filter",
		"IBV_FLOW_SPEC_IPV4_EXT": "struct ibv_flow_ipv4_ext_filter", "IBV_FLOW_SPEC_IPV6": "struct ibv_flow_ipv6_filter",
		"IBV_FLOW_SPEC_UDP": "struct ibv_flow_tcp_udp_filter", "IBV_FLOW_SPEC_TCP": "struct ibv_flow_tcp_udp_filter"}},
}

// readOnly are the arguments that a function does not write to, although the header does not say so, of functions that also have others.
var readOnly = map[string]bool{"ibv_init_ah_from_wc.wc": true, "ibv_init_ah_from_wc.grh": true, "ibv_resolve_eth_l2_from_gid.attr": true}

// handedOut are the arguments that point to where a function puts a pointer.
var handedOut = map[string]bool{"ibv_get_cq_event.cq": true, "ibv_get_cq_event.cq_context": true}

// stored are the functions that make an object, put its address where an argument points to, and return memory.
var stored = map[string]string{"ibv_alloc_buf": "buf"}

// commands are the fields of an object that a program sets before it calls an operation: each call shows them.
var commands = map[string][]string{
	"struct ibv_qp_ex": {"wr_id", "wr_flags"},
}

// behind are the records that are followed by others in memory: by what, how many, and which field has the size of each.
var behind = map[string][3]string{
	"struct ibv_flow_attr": {"struct ibv_flow_spec", "num_of_specs", "hdr.size"},
}

// scalars are the types of numbers; true stands for a signed one.
var scalars = map[string]bool{
	"int": true, "ssize_t": true, "__s32": true, "int64_t": true, "unsigned int": false, "size_t": false, "uint8_t": false, "uint16_t": false,
	"uint32_t": false, "uint64_t": false, "__u8": false, "__u16": false, "__u32": false, "__u64": false, "__aligned_u64": false,
}

// source is what the C text is made from.
type source struct {
	records   map[string]*api.Record
	order     []string        // of records
	enums     map[string]bool // tag -> signed
	objects   map[string]bool // tags of what verbs make
	functions []api.Function
	errs      []string
}

// newSource takes the records as the header has them; what it lacks, and what has grown since, is taken from the newest release.
func newSource(have, newest *api.Release, grown map[string]bool) *source {
	s := &source{records: map[string]*api.Record{}, enums: map[string]bool{},
		objects: map[string]bool{"struct ibv_device": true, "struct ibv_context": true}}
	for _, r := range spec.LibcRecords() {
		s.records[r.Tag] = r
		s.order = append(s.order, r.Tag)
	}
	for _, rel := range []*api.Release{have, newest} {
		for _, r := range rel.Records {
			if s.records[r.Tag] == nil && !r.Incomplete && (rel == newest || !grown[r.Tag]) &&
				!strings.HasPrefix(r.Tag, "struct ib_uverbs_query_port_resp") {
				s.records[r.Tag] = &r
				s.order = append(s.order, r.Tag)
			}
		}
		for _, e := range rel.Enums {
			s.enums[e.Tag] = s.enums[e.Tag] || e.Signed
		}
		for _, f := range rel.Functions {
			if !slices.ContainsFunc(s.functions, func(g api.Function) bool { return g.Name == f.Name }) {
				s.functions = append(s.functions, f)
			}
		}
	}
	for _, f := range s.functions {
		if tag, ok := strings.CutSuffix(f.Ret, " *"); ok && s.records[tag] != nil && !f.Helper {
			s.objects[tag] = true
		}
	}
	return s
}

func ident(tag string) string { return "record_" + strings.ReplaceAll(tag, " ", "_") }

var array = regexp.MustCompile(`^(.+)\[\d+\]$`)

// number returns the kind of a number, "" for anything else.
func (s *source) number(ctype string) string {
	signed, scalar := scalars[ctype]
	enum, isEnum := s.enums[ctype]
	switch {
	case slices.Contains([]string{"__be16", "__be32", "__be64"}, ctype):
		return "BIG"
	case scalar && signed, isEnum && enum:
		return "SINT"
	case scalar, isEnum:
		return "UINT"
	}
	return ""
}

// kind returns the kind of a field or argument, and the record that it is about.
func (s *source) kind(ctype string) (kind, record string) {
	ctype = strings.TrimPrefix(ctype, "const ")
	if k := s.number(ctype); k != "" {
		return k, ""
	}
	if m := array.FindStringSubmatch(ctype); m != nil {
		if m[1] == "char" {
			return "TEXT", ""
		}
		return "BYTES", ""
	}
	of, pointer := strings.CutSuffix(ctype, "*")
	of = strings.TrimSpace(of)
	switch {
	case !pointer && s.records[ctype] != nil:
		return "RECORD", ctype
	case !pointer:
		return "OPAQUE", ""
	case s.objects[of]:
		return "OBJECT", of
	case s.records[of] != nil:
		return "LIST", of
	}
	return "POINTER", ""
}

// listed returns the record of a pointer to numbers or pointers whose count is known.
func (s *source) listed(ctype string) string {
	of := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(ctype, "const "), "*"))
	switch {
	case strings.HasSuffix(of, "*"):
		return "element_pointer"
	case strings.HasPrefix(of, "enum "):
		return ""
	case s.number(of) != "":
		return "element_" + strings.ReplaceAll(of, " ", "_")
	}
	return ""
}

// elements are records of one number, for pointers to numbers.
func (s *source) elements() string {
	var b strings.Builder
	one := func(name, ctype, kind string) {
		fmt.Fprintf(&b, "static const struct field fields_%s[] = {{\"\", %s, 0, sizeof(%s), NULL, NULL, NULL, NULL, NULL}};\n", name, kind, ctype)
		fmt.Fprintf(&b, "static const struct record %s = {\"%s\", sizeof(%s), fields_%s, 1, NULL, NULL, NULL, NULL};\n", name, ctype, ctype, name)
	}
	one("element_pointer", "void *", "POINTER")
	for _, t := range []string{"int", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t", "__be16", "__be32", "__be64"} {
		one("element_"+t, t, s.number(t))
	}
	return b.String()
}

// tables writes the tables of all records.
func (s *source) tables(ops map[string]string) string {
	var b strings.Builder
	for _, tag := range s.order {
		r := s.records[tag]
		b.WriteString(s.choices(r))
		fmt.Fprintf(&b, "static struct field fields_%s[] = {\n", ident(tag))
		n := 0
		for _, f := range r.Fields {
			if f.Name == "" || r.Container(f) {
				continue
			}
			b.WriteString(s.fieldRow(r, f, ops))
			n++
		}
		follow := `NULL, NULL, NULL`
		if at, ok := behind[tag]; ok {
			follow = fmt.Sprintf("&%s, %q, %q", ident(at[0]), at[1], at[2])
		}
		fmt.Fprintf(&b, "};\nstatic const struct record %s = {%q, sizeof(%s), fields_%s, %d, %s, %s};\n\n", ident(tag), tag, tag,
			ident(tag), n, follow, s.wholeOf(tag))
	}
	return b.String()
}

// wholeOf returns the record that begins with an object of the given one.
func (s *source) wholeOf(tag string) string {
	for _, w := range s.order {
		if f := s.records[w].Fields; len(f) > 0 && s.objects[tag] && s.objects[w] && f[0].Type == tag {
			return "&" + ident(w)
		}
	}
	return "NULL"
}

func (s *source) fieldRow(r *api.Record, f api.Field, ops map[string]string) string {
	kind, of := s.kind(f.Type)
	record, count, function, tag, choices := "NULL", "NULL", "NULL", "NULL", "NULL"
	if c, ok := chosen[r.Tag+"."+f.Name]; ok {
		tag, choices = fmt.Sprintf("%q", c.tag), choicesOf(r, f)
	}
	if f.BitSize != nil {
		s.errs = append(s.errs, r.Tag+"."+f.Name+" is a bit field, which this package does not know")
	}
	if n := counts[r.Tag+"."+f.Name]; n != "" {
		count = fmt.Sprintf("%q", n)
		if of == "" {
			kind = "LIST"
			record = "&" + s.listed(f.Type)
		}
	}
	switch {
	case f.Func != nil:
		kind, function = "POINTER", "NULL"
		if op := ops[r.Tag+"."+f.Name]; op != "" {
			kind, function = "FUNC", "(void (*)(void))"+op
		}
	case of == "struct ibv_context" && kind == "OBJECT":
		kind = "CONTEXT"
	case of != "":
		record = "&" + ident(of)
	}
	return fmt.Sprintf("\t{%q, %s, offsetof(%s, %s), sizeof(((%s *)0)->%s), %s, %s, %s, %s, %s},\n", f.Name, kind, r.Tag, f.Name,
		r.Tag, f.Name, record, count, function, tag, choices)
}

func choicesOf(r *api.Record, f api.Field) string { return "choices_" + ident(r.Tag) + "_" + f.Name }

// choices writes what the pointers of a record can point to.
func (s *source) choices(r *api.Record) string {
	var b strings.Builder
	for _, f := range r.Fields {
		c, ok := chosen[r.Tag+"."+f.Name]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "static const struct choice %s[] = {", choicesOf(r, f))
		for _, is := range slices.Sorted(maps.Keys(c.is)) {
			fmt.Fprintf(&b, "{%s, &%s}, ", is, ident(c.is[is]))
		}
		b.WriteString("{0, NULL}};\n")
	}
	return b.String()
}
