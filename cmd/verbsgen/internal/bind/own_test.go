package bind

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// edited is the project's own pages and the facts of the newest release, for one mistake.
type edited struct {
	*spec.Spec
	rel  *api.Release
	undo *[]func() // what restores the pages
}

// kept is an entry of a page, as it is again after undo.
func kept[T any](e edited, entry *T) *T {
	was := *entry
	*e.undo = append(*e.undo, func() { *entry = was })
	return entry
}

func (e edited) verb(c string) *spec.Verb {
	v := kept(e, e.VerbByC(c))
	v.Params, v.Methods, v.NeedsVerbs = slices.Clone(v.Params), slices.Clone(v.Methods), maps.Clone(v.NeedsVerbs)
	return v
}

func (e edited) rec(name string) *spec.Record {
	r := kept(e, e.RecordByGo(name))
	r.Fields = slices.Clone(r.Fields)
	return r
}

func (e edited) object(name string) *spec.Object {
	o := kept(e, e.ObjectByGo(name))
	o.StateFrom = maps.Clone(o.StateFrom)
	return o
}

func (e edited) param(c, name string) *spec.Param { return e.verb(c).Param(name) }

func (e edited) member(tag, name string) *api.Field {
	i := slices.IndexFunc(e.rel.Records, func(r api.Record) bool { return r.Tag == tag })
	return e.rel.Records[i].Field(name)
}

func (e edited) fn(c string) *api.Function {
	return &e.rel.Functions[slices.IndexFunc(e.rel.Functions, func(f api.Function) bool { return f.Name == c })]
}

func (e edited) constant(c string) *api.Enumerator {
	for _, x := range e.rel.Enums {
		for i := range x.Enumerators {
			if x.Enumerators[i].Name == c {
				return &x.Enumerators[i]
			}
		}
	}
	return nil
}

// fix fixes a parameter of the first method of a verb.
func (e edited) fix(c, param, value string) {
	e.verb(c).Methods[0].Fixed = map[string]string{param: value}
}

func (e edited) field(record, c string) *spec.RecordField {
	r := e.rec(record)
	return &r.Fields[slices.IndexFunc(r.Fields, func(f spec.RecordField) bool { return f.C == c })]
}

// TestOwnPages makes one mistake at a time on the project's own pages, or in the facts of a release, and looks for its report.
func TestOwnPages(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		edit func(e edited)
		want string
	}{
		// Objects.
		{func(e edited) { e.object("QP").StateFrom["mutex"] = spec.StateObject },
			"QP: struct ibv_qp.mutex is of type pthread_mutex_t, and state_from: is for an integer of 32 bits, or a pointer; correct state_from:"},
		{func(e edited) { e.object("QP").StateFrom = map[string]string{"mcasts": spec.StateHandle} },
			"QP: state_from: the Go handle does not know mcasts: only that of device memory knows something, its length; write object, marks,"},
		{func(e edited) { e.object("MR").StateFrom = map[string]string{"length": spec.StateHandle} }, "MR: state_from: the Go handle does not"},
		{func(e edited) { e.field("FlowActionESPAttr", "esp_attr").Points = "FlowActionESPEncap" },
			"FlowActionESPAttr.ESP: struct ibv_flow_action_esp_attr.esp_attr is of type struct ib_uverbs_flow_action_esp *, and points: " +
				"FlowActionESPEncap is for a struct ib_uverbs_flow_action_esp_encap *; correct points:"},
		{func(e edited) { e.verb("ibv_destroy_qp").Returns = spec.RetNumber },
			"QP: ibv_destroy_qp returns number_minus1, and Close can only call a verb that returns errno, errno_either, minus1_errno or nothing;"},
		{func(e edited) { e.object("MR").Destroy = "ibv_cq_ex_to_cq" },
			"MR: destroy: names ibv_cq_ex_to_cq, which no page describes; correct destroy:"},
		{func(e edited) { e.object("MR").Parents = []string{"Line"} }, "MR: no object Line in any page; correct parents:"},
		{func(e edited) { e.object("MR").Region = &spec.Region{Length: "handle", LKey: "lkey"} },
			"MR.region: it has no getter handle of type uint64; add it to getters:, or correct region:"},
		// Keys of verbs.
		{func(e edited) { e.verb("ibv_alloc_dm").Extent = "" },
			"ibv_alloc_dm: it makes memory, and has no extent:; name the field with the length, as in attr.length"},
		{func(e edited) { e.verb("ibv_alloc_null_mr").IOVA = []string{"zero", "unknown"} },
			"ibv_alloc_null_mr: iova: unknown is beside others; keep one of them"},
		{func(e edited) { e.verb("ibv_alloc_td").IOVA = []string{"zero"} },
			"ibv_alloc_td: it has iova:, and makes no memory region; remove iova:"},
		{func(e edited) { e.verb("ibv_import_mr").IOVA = nil },
			"ibv_import_mr: it makes a memory region, and iova: does not say where addresses in it begin; name the parameter or field under"},
		{func(e edited) { e.verb("ibv_import_mr").IOVA = []string{"mr_handle"} },
			"ibv_import_mr: mr_handle is of type uint32_t, and iova: is for a pointer, or an unsigned integer of 64 bits; correct iova:"},
		{func(e edited) { e.verb("ibv_alloc_pd").Creates = "Line" }, "ibv_alloc_pd: no object Line in any page; correct creates:"},
		{func(e edited) { e.verb("ibv_query_qp").Methods[0].Go = "Query" },
			"ibv_query_qp: method Query must be called TYPE.NAME, where TYPE is an object or Lib; write it like PD.RegMR"},
		{func(e edited) { e.fn("ibv_advise_mr").Dispatch = &api.Dispatch{Way: api.WaySpecial, Hash: "12"} },
			"the inline function does more than call the provider (hash 12); write its C code in templates/ and pin the hash"},
		{func(e edited) { e.verb("ibv_alloc_mw").Marks = map[string]string{"bound": "pd"} },
			"ibv_alloc_mw: marks: bound: pd is no number or flags that the verb takes, nor a mark of a handle that it takes; write 0, 1,"},
		{func(e edited) { e.verb("ibv_alloc_dm").Extent = "attr.log_align_req" },
			"ibv_alloc_dm: attr.log_align_req is of type uint32_t, and extent: is for an unsigned integer of 64 bits; correct extent:"},
		{func(e edited) { e.verb("ibv_alloc_buf").Extent = "no" },
			"ibv_alloc_buf: extent: no is no number that the method takes; name the parameter with the length"},
		{func(e edited) { e.verb("ibv_query_qp").Asks = "attr_mask" }, "ibv_query_qp: it has asks:, and makes no object; remove asks:"},
		{func(e edited) { e.verb("ibv_create_qp_ex").Asks = "qp_init_attr_ex.qp_context" },
			"ibv_create_qp_ex: qp_init_attr_ex.qp_context is of type void *, and asks: is for an unsigned integer; correct asks:"},
		{func(e edited) {
			e.verb("ibv_dealloc_pd").Updates, e.verb("ibv_dealloc_pd").Methods = true, []spec.Method{{Go: "PD.End", Form: "end"}}
		},
			"ibv_dealloc_pd: it has updates:, and PD.End is no method of an object with getters: that calls it as it is; remove updates:"},
		{func(e edited) { e.verb("ibv_query_qp").EndedBy = "ibv_destroy_qp" },
			"ibv_query_qp: it has made_in: or ended_by:, and makes no object; write creates:, or remove them"},
		{func(e edited) { e.verb("ibv_create_qp").EndedBy = "ibv_destroy_qp" },
			"ibv_create_qp: QP is ended by the verb of its page; remove ended_by:"},
		{func(e edited) { e.verb("ibv_create_qp").EndedBy = "ibv_query_qp" },
			"ibv_create_qp: ibv_query_qp does not take one QP alone, or with the objects that each is made from; correct ended_by:"},
		{func(e edited) {
			e.verb("ibv_create_qp").EndedBy = "ibv_wr_complete"
			e.verb("ibv_wr_complete").Returns = spec.RetValue
		}, "ibv_create_qp: ibv_wr_complete returns value, and Close can only call a verb that returns errno, errno_either, " +
			"minus1_errno or nothing"},
		{func(e edited) { e.verb("ibv_create_qp").MadeIn = "pd.context" },
			"ibv_create_qp: pd.context is of type struct ibv_context *, and made_in: is for a struct ibv_qp *; correct made_in:"},
		{func(e edited) { e.verb("ibv_alloc_buf").Returns = spec.RetValue },
			"ibv_alloc_buf: it returns void *, and a verb that makes Buf returns the address of the memory, or NULL and errno, and stores"},
		{func(e edited) { e.verb("ibv_reg_mr_ex").IOVA = []string{"pd", "mr_init_attr.iova"} },
			"ibv_reg_mr_ex: iova: pd is always given, so that what is behind it never counts; let it be the last"},
		{func(e edited) { e.verb("ibv_create_cq_ex").Result = "WCStatus" },
			"ibv_create_cq_ex: it has result:, and returns no value; remove result:, or write returns: value"},
		{func(e edited) { e.verb("ibv_query_qp").Returns = spec.RetRereg },
			"ibv_query_qp: a function that returns int does not return rereg; correct returns:"},
		// Parameters.
		{func(e edited) { e.verb("ibv_query_qp").Params = e.verb("ibv_query_qp").Params[1:] },
			"ibv_query_qp: parameter qp of the header is not under params:; add it"},
		{func(e edited) { e.param("ibv_query_qp", "attr").Role = role.Addr },
			"ibv_query_qp.attr: a parameter of type struct ibv_qp_attr * cannot have the role addr; correct role:"},
		{func(e edited) { e.param("ibv_dealloc_pd", "pd").Type = "Line" }, "ibv_dealloc_pd.pd: no object Line in any page; correct type:"},
		{func(e edited) { e.param("ibv_query_qp", "attr").Type = "Line" }, "ibv_query_qp.attr: no record Line in any page; correct type:"},
		{func(e edited) { e.param("ibv_reg_mr", "access").Type = "Line" },
			"ibv_reg_mr.access: no flag or enum type Line in any page; correct type:"},
		{func(e edited) { e.param("ibv_advise_mr", "flags").Rest = true },
			"parameter sg_list comes after flags, which has rest: and must be the last parameter; change the page, or leave the method out"},
		{func(e edited) {
			e.fn("ibv_query_port_speed").Params[1].Type = "struct ibv_srq_attr *"
			p := e.param("ibv_query_port_speed", "port_num")
			p.Role, p.Type = role.OutRecord, "SRQInfo"
		},
			"Device.QueryPortSpeed: ibv_query_port_speed fills records and numbers, and no form generates such a method yet;"},
		{func(e edited) {
			e.param("ibv_modify_qp", "attr_mask").Role, e.param("ibv_modify_qp", "attr_mask").Type = role.In, ""
		},
			"ibv_modify_qp.attr: the mask of QPAttr is passed by itself, and no parameter has the role mask; give attr_mask the role mask"},
		{func(e edited) { e.verb("ibv_create_qp").Params[1].Role = role.Made },
			"it is of type struct ibv_qp_init_attr *, and role: made is for a struct ibv_qp **; correct role:"},
		{func(e edited) { e.param("ibv_query_qp", "attr_mask").Go = "mem" },
			"ibv_query_qp.attr_mask: the generated methods use the name mem themselves; choose another name under go:"},
		{func(e edited) { e.fn("ibv_query_qp").Params[1].Type = "const struct ibv_qp_attr *" },
			"ibv_query_qp.attr: a parameter of type const struct ibv_qp_attr * cannot have the role out_record; correct role:"},
		{func(e edited) { e.fn("ibv_query_qp").Params[2].Type = "uint8_t" },
			"ibv_query_qp.attr_mask: it is of type uint8_t, and type: QPField is for an enum ibv_qp_attr_mask or an integer of at least 32 bits;"},
		{func(e edited) { e.fn("ibv_rereg_mr").Params[4].Type = "uint32_t" },
			"ibv_rereg_mr.addr: the length length is of type uint32_t, and len: is for an unsigned integer of 64 bits; correct len:"},
		{func(e edited) { e.param("ibv_reg_mr", "length").Role = role.In },
			"ibv_reg_mr.addr: len: length has the role in; give it the role len"},
		{func(e edited) { e.fn("ibv_query_qp").Ret = "void" },
			"ibv_query_qp: a function that returns void does not return errno; correct returns:"},
		{func(e edited) { e.fn("ibv_alloc_pd").Ret = "struct ibv_cq *" },
			"ibv_alloc_pd: it returns struct ibv_cq *, and PD is a struct ibv_pd *; correct creates:"},
		{func(e edited) { e.fn("ibv_dealloc_pd").Params[0].Type = "struct ibv_cq *" },
			"ibv_dealloc_pd.pd: it is of type struct ibv_cq *, and type: PD is for a struct ibv_pd; correct type:"},
		{func(e edited) { e.fix("ibv_query_pkey", "index", "4294967296") },
			"Device.QueryPKey: parameter index cannot be fixed to 4294967296: it is of type int; correct fixed:"},
		{func(e edited) { e.fix("ibv_query_pkey", "index", "-2147483649") },
			"Device.QueryPKey: parameter index cannot be fixed to -2147483649: it is of type int; correct fixed:"},
		{func(e edited) { e.fix("ibv_query_pkey", "index", "NULL") },
			"Device.QueryPKey: parameter index cannot be fixed to NULL: it is of type int; correct fixed:"},
		{func(e edited) { e.constant("IBV_ACCESS_LOCAL_WRITE").Value = -2 },
			"MRAccess: IBV_ACCESS_LOCAL_WRITE is -2, which the Go type cannot have (0 to 4294967295); leave it out by naming the others under"},
		{func(e edited) { e.constant("IBV_ACCESS_LOCAL_WRITE").Value = 1 << 40 },
			"MRAccess: IBV_ACCESS_LOCAL_WRITE is 1099511627776, which the Go type cannot have (0 to 4294967295); write bits: 64"},
		{func(e edited) { e.fn("ibv_query_qp").Variadic = true },
			"ibv_query_qp: it takes any number of arguments, and a call with a variable number of arguments cannot be generated; skip it"},
		{func(e edited) { kept(e, e.EnumByGo("MTU")).Code = "timeout" },
			"MTU: code: timeout is for numbers of 8 bits, and an enum has 32; remove code:, or the enum"},
		{func(e edited) {
			kept(e, e.FlagByGo("MRAccess")).Names = map[string]string{"IBV_ACCESS_REMOTE_WRITE": "MRAccessLocalWrite"}
		},
			"MRAccessLocalWrite: both IBV_ACCESS_LOCAL_WRITE and IBV_ACCESS_REMOTE_WRITE get this Go name; give one of them a name under"},
		// Records and their fields.
		{func(e edited) { e.rec("QPInfo").Fields = e.rec("QPInfo").Fields[1:] },
			"is neither under fields: nor under hide:; add it to one of them, on the page or in a file that extends it, or run with"},
		{func(e edited) { e.member("struct ibv_qp_attr", "timeout").BitSize = new(7) },
			"struct ibv_qp_attr.timeout: it is a bit-field; do not describe this struct under records:"},
		{func(e edited) { e.member("struct ibv_qp_attr", "path_mtu").Size = 8 },
			"struct ibv_qp_attr.path_mtu: its C type \"enum ibv_mtu\" has 8 bytes, and the Go type uint32 has 4; do not describe this struct"},
		{func(e edited) { e.member("struct ibv_mr_init_attr", "comp_mask").Type = "uint32_t[2]" },
			"MRInitAttr: struct ibv_mr_init_attr.comp_mask is of type uint32_t[2], and mask: is for an integer; correct mask:"},
		{func(e edited) { e.member("struct ibv_qp_init_attr", "srq").Type = "uint64_t" },
			"QPInitAttr.SRQ: struct ibv_qp_init_attr.srq is of type uint64_t, and handle: SRQ is for a struct ibv_srq *; correct handle:"},
		{func(e edited) { e.field("QPInfo", "timeout").Divides = "efa" },
			"QPInfo.Timeout: divides: is for records of role in, which a verb takes; remove it"},
		{func(e edited) { e.member("struct ibv_device_attr", "fw_ver").Type = "uint64_t" },
			"DeviceInfo.FWVer: struct ibv_device_attr.fw_ver is of type uint64_t, and text: true is for an array of char; correct text:"},
		{func(e edited) { e.rec("QPInfo").Switches = []spec.Switch{{C: "IBV_QP_STATE", Go: "S"}} },
			"QPInfo: switches: is for a record of role in with a mask, or with the tag of an arm, where the bits are set; remove it, or name"},
		{func(e edited) {
			e.rec("DeviceInfo").CapsFrom = map[string]string{"device_attr": "self"}
			e.rec("DeviceInfo").Mask = ""
		},
			"DeviceInfo: a record with caps_from: needs mask:, which shows whether the device returned its capabilities"},
		{func(e edited) { e.field("FlowActionESPAttr", "keymat_ptr").Tag = "keymat_ptr" },
			"FlowActionESPAttr.Keymat: struct ibv_flow_action_esp_attr.keymat_ptr is of type void *, and tag: is for an integer; correct tag:"},
		{func(e edited) { e.rec("FlowActionESPAttr").Role = spec.RecordOut },
			"FlowActionESPAttr.Keymat: points: is for records of role in; remove it, or correct role:"},
		{func(e edited) { e.rec("RWQIndTableInitAttr").Role = spec.RecordOut },
			"RWQIndTableInitAttr.IndTbl: handles: is for records of role in, which a verb takes; remove it, or correct role:"},
		{func(e edited) { e.field("ParentDomainAttr", "alloc").Pair = "" },
			"ParentDomainAttr.Allocator: callback: allocator goes with pair: and default:; name the function that frees, and the constant"},
		{func(e edited) { e.field("MRInitAttr", "addr").Len = "" },
			"MRInitAttr.Memory: callback: memory and len: go together; name the field with the length of the memory under len:"},
		{func(e edited) { e.field("AHAttr", "sl").Callback = spec.CallbackContext },
			"callback: is for a record with a mask, which has a builder; name the mask under mask:"},
		{func(e edited) { e.field("QPAttr", "timeout").Type = "uintptr" },
			"QPAttr.Timeout: struct ibv_qp_attr.timeout is of type uint8_t, and type: uintptr is for a pointer, or an integer of 64 bits;"},
		// Forms.
		{func(e edited) { e.verb("ibv_start_poll").Returns = spec.RetMinus1 },
			"CQ.Reader: a reader is begun by a verb that returns errno; correct returns:"},
		{func(e edited) { e.rec("WCEx").C = "ibv_qp_ex" },
			"CQ.Reader: ibv_start_poll is no function of struct ibv_qp_ex, which WCEx is read from; correct lists:"},
		{func(e edited) { e.param("ibv_wr_start", "qp").Type = "" },
			"QP.Stream: form stream does not fit: parameter qp has no object type; remove form:, or correct the verb"},
		{func(e edited) { e.param("ibv_wr_start", "qp").Role = role.In },
			"QP.Stream: form stream does not fit: parameter qp has the role in, and the form needs handle; remove form:, or correct the verb"},
		{func(e edited) { e.fn("ibv_wr_start").Params[0].Type = "int" },
			"QP.Stream: form stream does not fit: parameter qp is of type int, and the form is for a pointer to a struct; remove form:"},
		{func(e edited) { e.fn("ibv_rereg_mr").Params[3].Type = "uint64_t" },
			"and the form is for void *; compare the header with templates/verbs/"},
		{func(e edited) { e.fn("ibv_wr_abort").Dispatch = nil },
			"ibv_wr_abort: a stream of commands or a view calls it, and it does not call a function in the object that it is " +
				"given; correct the verb, or"},
		{func(e edited) { e.fn("ibv_wr_send").Params[0].Type = "struct ibv_qp *" },
			"ibv_wr_send: builds: does nothing: no verb with stream: is for struct ibv_qp *; correct the first parameter, bind the verb that " +
				"makes the stream, or remove builds:"},
		{func(e edited) { e.fn("ibv_wr_set_ud_addr").Params[0].Type = "struct ibv_qp *" },
			"ibv_wr_set_ud_addr: sets_for: does nothing: no verb with stream: is for struct ibv_qp *; correct the first parameter"},
		{func(e edited) { e.verb("ibv_query_qp").Methods[0].Form = "view" },
			"QP.Query: form view does not fit: ibv_query_qp is not an exported function that takes the object of a stream and returns"},
		{func(e edited) { e.verb("ibv_query_qp").View = &spec.View{} },
			"ibv_query_qp: it has view:, and no method of form view; write the form, or remove view:"},
		{func(e edited) { e.verb("ibv_query_qp").Command = &spec.Command{Go: "Query"} },
			"ibv_query_qp: command: does nothing: no verb with view: is for struct ibv_qp *; correct the first parameter, bind the verb that"},
		{func(e edited) { e.verb("ibv_wr_start").NeedsVerbs["abort"] = "ibv_fork_init2" },
			"ibv_wr_start: needs_verbs: names ibv_fork_init2, which no page describes; describe it, or correct the name"},
		{func(e edited) { e.verb("ibv_query_qp").Methods[0].Form = "next_record" },
			"QP.Query: form next_record does not fit: QP has no fd:, the file to wait on; remove form:, or correct the verb"},
		{func(e edited) { e.verb("ibv_query_qp").Methods[0].Form, e.object("QP").FD = "next_record", "handle" },
			"form next_record does not fit: ibv_query_qp does not take a QP and a parameter of role given; remove form:, or correct the verb"},
		{func(e edited) { e.verb("ibv_detach_mcast").Returns = spec.RetMinus1 },
			"QP.DetachMcast: form detach does not fit: ibv_detach_mcast does not take the object first and return errno; remove form:"},
		{func(e edited) { e.verb("ibv_attach_mcast").NeedsVerbs["detach"] = "ibv_destroy_qp" },
			"QP.AttachMcast: form attach does not fit: ibv_destroy_qp takes other parameters than ibv_attach_mcast; remove form:"},
		// Readers.
		{func(e edited) { e.rec("WCEx").Fields[0].OK, e.rec("WCEx").Fields[1].OK = "A", "B" }, "WCEx: several fields have ok:; keep one of them"},
		{func(e edited) { e.member("struct ibv_cq_ex", "read_tm_info").Func.Ret = "int" },
			"struct ibv_cq_ex.read_tm_info is no function that takes the object and fills a struct with a member tag; correct the name"},
		{func(edited) {}, ""}, // each mistake is undone
	} {
		rel, err := api.Load(api.Newest())
		if err != nil {
			t.Fatal(err)
		}
		e := edited{sp, rel, new([]func())}
		tt.edit(e)
		got := ""
		if _, err := Bind(rel, sp, Options{}); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("want\n%s\ngot\n%.900s", tt.want, got)
		}
		slices.Reverse(*e.undo)
		for _, undo := range *e.undo {
			undo()
		}
	}
}
