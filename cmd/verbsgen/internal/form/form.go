// Package form is the registry of the forms of methods: which there are, what each needs of a verb, and what it generates.
//
// It is data. A page names a form, bind holds the verb against what the form needs, and emit has a writer for each. The names
// of forms stand here alone.
package form

import (
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Names of forms.
const (
	Plain        = "" // the parameters in order
	Bytes        = "bytes"
	Buffer       = "buffer"
	Pin          = "pin"
	Addr         = "addr"
	Implicit     = "implicit"
	DeviceList   = "device_list"
	OpenDevice   = "open_device"
	CreateCQ     = "create_cq"
	ParentDomain = "parent_domain"
	ImportDM     = "import_dm"
	WriteDM      = "write_dm"
	ReadDM       = "read_dm"
	PostSend     = "post_send"
	PostRecv     = "post_recv"
	PostSRQRecv  = "post_srq_recv"
	PostWQRecv   = "post_wq_recv"
	PostSRQOps   = "post_srq_ops"
	Address      = "address"
	PollCQ       = "poll_cq"
	ReqNotify    = "req_notify"
	NextEvent    = "next_event"
	DoneEvent    = "done_event"
	NextAsync    = "next_async"
	DoneAsync    = "done_async"
	Reader       = "reader"
	Stream       = "stream"
	NextRecord   = "next_record"
	Window       = "window"
	End          = "end"
	Special      = "special"
)

// Parts of verbs that the generated code of another verb or of a handle calls: the keys of needs_verbs.
const (
	PartFree     = "free"
	PartOpen     = "open"
	PartList     = "list"
	PartGUID     = "guid"
	PartIndex    = "index"
	PartAck      = "ack"
	PartUnimport = "unimport"
	PartNext     = "next"
	PartWrite    = "write"
	PartRead     = "read"
	PartEnd      = "end"
	PartComplete = "complete"
	PartAbort    = "abort"
	PartElement  = "element"
	PartElements = "elements"
	PartInline   = "inline"
	PartInlines  = "inlines"
	PartQuery    = "query"
	PartKeep     = "keep"
	PartRelease  = "release"
	PartPost     = "post"
)

// What a field of a record is for that C must not see as it is: the values of callback.
const (
	CallbackMemory    = "memory"    // an address of memory, with its length under len:
	CallbackAllocator = "allocator" // a function that allocates, with the one that frees under pair:
	CallbackContext   = "context"   // what an allocator is given
)

// Receivers that are no objects: a loaded library, and a type that the form itself makes.
const (
	RecvLib  = "Lib"
	RecvMade = "made"
)

// Form is one shape of methods.
type Form struct {
	Name string
	Does string // what the generated method does
	// Recv is the receiver: RecvLib, RecvMade, or the C type of the object; empty for one of the verb's handles.
	Recv string
	// Sig is the C function that the form is written for; nil when the parameters are taken as they come.
	Sig *Sig
	// At is where a special says so: templates/verbs/rereg.go:3.
	At string
	// ByRoles tells that the form fits any C function with the roles that it needs.
	ByRoles bool
	// Memory tells that the verb takes an address with its length, by themselves or in a record.
	Memory bool
	Parts  []Part
	// Reads are the records, beside those of the parameters, whose members the generated or runtime code reads.
	Reads  []string
	Lists  string // the page names a record of this role under lists:
	Events bool   // some enum of the pages has event_of:
	// Callbacks are those that fields of the verb's record have.
	Callbacks []string
	// Runtime tells that a package under runtime/ calls the C function, so that it has no C shim.
	Runtime bool
	// Own tells that the form has a C function of its own, which calls the verb and its parts.
	Own bool
	// Many tells that a package may have several methods of the form.
	Many bool
	// Requests is the C type of the chained requests of a parameter, and Elements that of their lists. The rules of the verb are held
	// against a request after the device has refused it, and not before the call.
	Requests, Elements string
	// Unchecked is why the rules of the verb are not checked before a call.
	Unchecked string
	// UncheckedLints is the same of the lints, where it differs.
	UncheckedLints string
	// RuleFirst tells that a rule's own reason to be unchecked goes before this one.
	RuleFirst bool
	// Optional tells that the method is left out when its receiver is not in the package.
	Optional bool
}

// Sig is what a form needs of a C function.
type Sig struct {
	Ret    string // C type
	Params []Param
}

// Param is what a form needs of one parameter.
type Param struct {
	Role  *role.Role
	C     string // C type; empty: any pointer to a struct
	Typed bool   // the page gives it an object type
}

// Part is a verb that generated code calls beside its own.
type Part struct {
	Name     string
	Form     string // of a method that the verb has; empty: any, or none
	Sig      *Sig   // nil: the page says what it takes
	Optional bool
}

// dataPath is why the rules of the data path are not checked.
const dataPath = "the data path checks nothing before a call"

func sig(ret string, params ...Param) *Sig { return &Sig{ret, params} }

func handle(c string) Param              { return Param{Role: role.Handle, C: c, Typed: true} }
func entry(c string) Param               { return param(role.Handle, c) }
func in(c string) Param                  { return param(role.In, c) }
func param(r *role.Role, c string) Param { return Param{Role: r, C: c} }

// forms is the registry.
var forms = []Form{
	{Name: Plain, Does: "takes the parameters in order"},
	{Name: NextRecord, Does: "waits for a record that the library gives, copies it and gives it back", ByRoles: true, Parts: []Part{{Name: PartAck}}},
	{Name: Bytes, Does: "takes a slice, which is pinned until the new object is closed", Memory: true},
	{Name: Buffer, Does: "takes a mem.Buffer, which cannot be closed before the new object", Memory: true},
	{Name: Pin, Does: "takes a mem.Pin, whose memory stays pinned until the new object is closed", Memory: true},
	{Name: Addr, Does: "takes an address and a length of memory that the caller keeps", Memory: true},
	{Name: Implicit, Does: "takes no memory: the region covers the address space", Memory: true},
	{Name: End, Does: "closes the handle by this verb, whichever Close calls", ByRoles: true, Many: true, Unchecked: ended, RuleFirst: true},
	{Name: Special, Does: "is written by hand, in a file of templates/verbs", Many: true},
	{Name: DeviceList, Reads: []string{"struct ibv_device"}, Does: "lists the devices, with the type of an entry", Recv: RecvLib,
		Sig: deviceList, Lists: spec.RecordEntry, Parts: []Part{
			{Name: PartFree, Sig: sig("void", entry("struct ibv_device **"))},
			{Name: PartOpen, Form: OpenDevice, Sig: openDevice},
			{Name: PartGUID, Sig: sig("__be64", entry("struct ibv_device *")), Optional: true},
			{Name: PartIndex, Sig: sig("int", entry("struct ibv_device *")), Optional: true}}},
	{Name: OpenDevice, Does: "opens the device of a name", Recv: RecvLib, Sig: openDevice,
		Parts: []Part{{Name: PartList, Form: DeviceList, Sig: deviceList}}},
	{Name: CreateCQ, Does: "makes a completion queue, which keeps its channel", Recv: "struct ibv_context",
		Sig: sig("struct ibv_cq *", handle("struct ibv_context *"), in("int"), in("void *"), handle("struct ibv_comp_channel *"), in("int"))},
	{Name: ParentDomain, Does: "makes a parent domain, with the types of an allocator", Recv: "struct ibv_context",
		Callbacks: []string{CallbackAllocator, CallbackContext},
		Sig:       sig("struct ibv_pd *", handle("struct ibv_context *"), param(role.InRecord, "struct ibv_parent_domain_init_attr *"))},
	{Name: ImportDM, Does: "imports device memory, and takes its length", Recv: "struct ibv_context",
		Sig:   sig("struct ibv_dm *", handle("struct ibv_context *"), in("uint32_t")),
		Parts: []Part{{Name: PartUnimport, Sig: sig("void", handle("struct ibv_dm *"))}}},
	{Name: WriteDM, Does: "copies to device memory", Recv: "struct ibv_dm", Sig: writeDM, Runtime: true, Unchecked: inBounds, UncheckedLints: dataPath, RuleFirst: true},
	{Name: ReadDM, Does: "copies from device memory", Recv: "struct ibv_dm", Sig: readDM, Runtime: true, Unchecked: inBounds, UncheckedLints: dataPath, RuleFirst: true},
	{Name: PostSend, Reads: []string{"struct ibv_sge", "struct ibv_qp", "struct ibv_context_ops"}, Does: "posts a batch of send requests", Recv: "struct ibv_qp", Sig: postSend, Runtime: true,
		Requests: "struct ibv_send_wr", Elements: "struct ibv_sge", Parts: explains},
	{Name: PostRecv, Reads: []string{"struct ibv_sge", "struct ibv_qp", "struct ibv_context_ops"}, Does: "posts a batch of receive requests", Recv: "struct ibv_qp", Runtime: true,
		Requests: "struct ibv_recv_wr", Elements: "struct ibv_sge", Parts: explains,
		Sig: sig("int", handle("struct ibv_qp *"), in("struct ibv_recv_wr *"), in("struct ibv_recv_wr **"))},
	{Name: PostSRQRecv, Reads: []string{"struct ibv_sge", "struct ibv_srq", "struct ibv_context_ops"}, Does: "posts a batch of receive requests to a shared receive queue", Recv: "struct ibv_srq", Runtime: true,
		Requests: "struct ibv_recv_wr", Elements: "struct ibv_sge",
		Sig: sig("int", handle("struct ibv_srq *"), in("struct ibv_recv_wr *"), in("struct ibv_recv_wr **"))},
	{Name: PostWQRecv, Reads: []string{"struct ibv_sge", "struct ibv_wq"}, Does: "posts a batch of receive requests to a work queue", Recv: "struct ibv_wq", Runtime: true,
		Requests: "struct ibv_recv_wr", Elements: "struct ibv_sge",
		Sig: sig("int", handle("struct ibv_wq *"), in("struct ibv_recv_wr *"), in("struct ibv_recv_wr **"))},
	{Name: PostSRQOps, Reads: []string{"struct ibv_sge", "struct ibv_srq", "struct ibv_context", "struct verbs_context"}, Does: "posts a batch of operations on the tags of a shared receive queue", Recv: "struct ibv_srq", Runtime: true,
		Requests: "struct ibv_ops_wr", Elements: "struct ibv_sge",
		Sig: sig("int", handle("struct ibv_srq *"), in("struct ibv_ops_wr *"), in("struct ibv_ops_wr **"))},
	{Name: Address, Does: "addresses a send request by an address handle", Recv: "struct ibv_ah", Sig: postSend, Runtime: true, Optional: true},
	{Name: Window, Does: "has a send request bind a memory window to what the record describes", Recv: "struct ibv_mw", Parts: []Part{{Name: PartPost, Form: PostSend, Sig: postSend}},
		Sig: sig("int", handle("struct ibv_qp *"), handle("struct ibv_mw *"), param(role.InRecord, "struct ibv_mw_bind *"))},
	{Name: PollCQ, Reads: []string{"struct ibv_cq", "struct ibv_context_ops"}, Does: "polls a completion queue, once or for a number of tries", Recv: "struct ibv_cq", Runtime: true, Unchecked: dataPath,
		Sig: sig("int", handle("struct ibv_cq *"), in("int"), in("struct ibv_wc *"))},
	{Name: ReqNotify, Reads: []string{"struct ibv_cq", "struct ibv_context_ops"}, Does: "asks for an event at the next completion", Recv: "struct ibv_cq", Runtime: true, Unchecked: dataPath,
		Sig: sig("int", handle("struct ibv_cq *"), in("int"))},
	{Name: NextEvent, Does: "waits for a completion event, with the type of the event", Recv: "struct ibv_comp_channel", Sig: nextEvent, Runtime: true,
		Unchecked: ackOnce, RuleFirst: true, Parts: []Part{{Name: PartAck, Form: DoneEvent, Sig: doneEvent}}},
	{Name: DoneEvent, Does: "acknowledges a completion event", Recv: RecvMade, Sig: doneEvent, Runtime: true, Unchecked: ackOnce, RuleFirst: true},
	{Name: NextAsync, Does: "waits for an asynchronous event, with the type of the event", Recv: "struct ibv_context", Runtime: true,
		Sig:       sig("int", handle("struct ibv_context *"), in("struct ibv_async_event *")),
		Unchecked: ackOnce, RuleFirst: true, Events: true, Parts: []Part{{Name: PartAck, Form: DoneAsync, Sig: doneAsync}}},
	{Name: DoneAsync, Does: "acknowledges an asynchronous event", Recv: RecvMade, Sig: doneAsync, Runtime: true, Unchecked: ackOnce, RuleFirst: true},
	{Name: Reader, Does: "makes a reader of what functions in the object return, with its type and that of what it reads", Own: true, Many: true, Lists: spec.RecordLazy,
		Unchecked: dataPath, Sig: sig("int", handle(""), in("")), Parts: []Part{{Name: PartNext, Sig: sig("int", handle(""))}, {Name: PartEnd, Sig: sig("void", handle(""))}}},
	{Name: Stream, Does: "makes a stream of commands, which posts a batch by functions in the object, with its type", Own: true, Many: true, Unchecked: dataPath,
		Sig: sig("void", handle("")), Parts: streamParts},
}

// streamParts are the verbs that a stream of commands calls beside the builders: those with an empty C type take any object.
var streamParts = []Part{{Name: PartOpen}, {Name: PartComplete, Sig: sig("int", handle(""))}, {Name: PartAbort, Sig: sig("void", handle(""))},
	{Name: PartElement}, {Name: PartElements}, {Name: PartInline}, {Name: PartInlines}}

// Functions that several forms and parts are written for.
var (
	deviceList = sig("struct ibv_device **", param(role.Out, "int *"))
	openDevice = sig("struct ibv_context *", entry("struct ibv_device *"))

	writeDM = sig("int", handle("struct ibv_dm *"), in("uint64_t"), param(role.Addr, "const void *"), param(role.Len, "size_t"))
	readDM  = sig("int", param(role.Addr, "void *"), handle("struct ibv_dm *"), in("uint64_t"), param(role.Len, "size_t"))

	postSend  = sig("int", handle("struct ibv_qp *"), in("struct ibv_send_wr *"), in("struct ibv_send_wr **"))
	query     = sig("int", handle("struct ibv_qp *"), param(role.OutRecord, "struct ibv_qp_attr *"), param(role.Flags, "int"), param(role.OutRecord, "struct ibv_qp_init_attr *"))
	nextEvent = sig("int", handle("struct ibv_comp_channel *"), in("struct ibv_cq **"), in("void **"))
	doneEvent = sig("void", handle("struct ibv_cq *"), in("unsigned int"))
	doneAsync = sig("void", in("struct ibv_async_event *"))
)

// inBounds is why the rules of copies to and from device memory are not checked.
const inBounds = "kept by the handles: a copy stays within the device memory"

// ackOnce is why rules on the count of events are not checked.
const ackOnce = "kept by the handles: each event is acknowledged exactly once"

// ended is why rules of the verbs that end a handle are not checked.
const ended = "kept by the handles: each is closed once, after all that was made from it"

// explains are the verbs by which a refused request is explained.
var explains = []Part{{Name: PartQuery, Sig: query, Optional: true}}

// eventParts are the verbs that a handle on which completion events arrive needs.
var eventParts = []Part{{Name: PartNext, Form: NextEvent, Sig: nextEvent}}

// deviceMemoryParts are the verbs that a handle of device memory needs.
var deviceMemoryParts = []Part{{Name: PartWrite, Form: WriteDM, Sig: writeDM}, {Name: PartRead, Form: ReadDM, Sig: readDM}}

// PartsOf gives the verbs that the handle of an object needs.
func PartsOf(o *spec.Object) []Part {
	var parts []Part
	if o.Events {
		parts = append(parts, eventParts...)
	}
	if o.Memory == spec.MemoryDevice {
		parts = append(parts, deviceMemoryParts...)
	}
	if len(o.Lends) > 0 {
		parts = append(parts, Part{Name: PartKeep}, Part{Name: PartRelease})
	}
	return parts
}

// All lists the forms.
func All() []Form { return append([]Form(nil), forms...) }

// Find gives the form of a name, or nil.
func Find(name string) *Form {
	for i := range forms {
		if forms[i].Name == name {
			return &forms[i]
		}
	}
	return nil
}

// InOrder tells whether the method takes the verb's parameters in order, whatever they are.
func (f *Form) InOrder() bool { return f.Sig == nil && !f.ByRoles }
