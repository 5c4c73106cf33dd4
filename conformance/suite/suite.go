//go:build linux

package suite

import (
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// Capability is something that a case needs of the device, the library or the machine.
type Capability string

// What cases can need.
const (
	Peer         Capability = "peer"          // another end that moves bytes to and from registered memory
	RoCE         Capability = "roce"          // a port of Ethernet: the kernel looks for the way to an address when it is given
	Atomics      Capability = "atomics"       // atomic operations
	DM           Capability = "dm"            // device memory: max_dm_size above 0
	Import       Capability = "import"        // a context opened over the command channel of another
	ImportDM     Capability = "import-dm"     // device memory of another context, by its handle
	TD           Capability = "td"            // thread domains
	ParentDomain Capability = "parent-domain" // parent domains
	Allocator    Capability = "allocator"     // a provider that asks the allocator of a parent domain for regions
	NullMR       Capability = "null-mr"       // regions that take writes and keep nothing
	DMABuf       Capability = "dmabuf"        // regions over the memory of a descriptor
	DMABufMemory Capability = "dmabuf-memory" // a way to make a dma-buf on the machine
	MREx         Capability = "mr-ex"         // ibv_reg_mr_ex in the library
	Buf          Capability = "buf"           // buffers that the provider allocates
	SRQ          Capability = "srq"           // shared receive queues: max_srq above 0
	XRC          Capability = "xrc"           // XRC domains
	OpenQP       Capability = "open-qp"       // more handles of a queue pair, which can be closed
	MW           Capability = "mw"            // memory windows
	Multicast    Capability = "multicast"     // multicast groups
	Counters     Capability = "counters"      // counters of flows
	CompCounters Capability = "comp-counters" // counters of completions
	Clock        Capability = "clock"         // a clock of the device that can be read
	Resize       Capability = "resize"        // completion queues that change their size
	WQ           Capability = "wq"            // work queues
	RWQTables    Capability = "rwq-tables"    // tables of work queues
	ESP          Capability = "esp"           // actions of flows on packets of ESP
	Moderation   Capability = "moderation"    // events for several completions
	Flows        Capability = "flows"         // flows, which steer packets
	CQEx         Capability = "cq-ex"         // extended completion queues
	Timestamps   Capability = "timestamps"    // times of completions
	Overruns     Capability = "overruns"      // completion queues that overruns do no harm to
	QPEx         Capability = "qp-ex"         // queue pairs that take streams of commands
	AtomicWrite  Capability = "atomic-write"  // writes of 8 bytes that are atomic
	Flush        Capability = "flush"         // flushes to global visibility
	RawPacket    Capability = "raw-packet"    // queue pairs that send and receive Ethernet frames
	RawLoop      Capability = "raw-loop"      // a port that returns the frames that are sent on it
	ODP          Capability = "odp"           // on-demand paging
	ODPImplicit  Capability = "odp-implicit"  // one region over the whole address space
	Advise       Capability = "advise"        // advice on on-demand regions
	ReregMemory  Capability = "rereg-memory"  // a region's memory changed in place
	ReregPD      Capability = "rereg-pd"      // a region's protection domain changed in place
	ReregAccess  Capability = "rereg-access"  // a region's access changed in place
	HugePages    Capability = "huge-pages"    // huge pages free on the machine
	Memory       Capability = "memory"        // more than 8 GiB that can be pinned
	Inject       Capability = "inject"        // calls that fail on order
	QueryEx      Capability = "query-ex"      // the provider's own queries, by which C reads what the bindings read
	Census       Capability = "census"        // a count of the objects on the device, so that what a case leaves behind is found
)

// ofOthers are the capabilities that say nothing of a device but of the machine, or of what stands around the device: a case
// that lacks only these is skipped, not unsupported.
var ofOthers = map[Capability]bool{Peer: true, RawLoop: true, Allocator: true, DMABufMemory: true, HugePages: true, Memory: true,
	Inject: true, Census: true}

// Capabilities lists them all, in the order of a report.
func Capabilities() []Capability {
	return []Capability{Peer, RoCE, Atomics, DM, Import, ImportDM, TD, ParentDomain, Allocator, NullMR, DMABuf, DMABufMemory, MREx,
		Buf, SRQ, XRC, OpenQP, MW, Multicast, Counters, CompCounters, Clock, Resize, WQ, RWQTables, ESP, Moderation, Flows, ODP, ODPImplicit,
		Advise, ReregMemory, ReregPD,
		ReregAccess, CQEx, Timestamps, Overruns, QPEx, AtomicWrite, Flush, RawPacket, RawLoop, HugePages, Memory, Inject, QueryEx, Census}
}

// Case is one thing that is shown. Its ID never changes and is never used for another case.
type Case struct {
	ID     string // CF-mr-0001
	Family string
	Title  string // what is shown, in a few words
	Page   string // man page without (3)
	Rules  []string
	Needs  []Capability
	Limit  time.Duration // how long it may take; 0 for DefaultLimit
	Run    func(*T)
}

// Ruled returns the case with the rules that it shows.
func (c Case) Ruled(rules ...string) Case {
	c.Rules = rules
	return c
}

// DefaultLimit is how long a case may take that says nothing of it.
const DefaultLimit = time.Minute

// blank is what is known of a case before it runs.
func (c *Case) blank(mode string) report.Case {
	return report.Case{ID: c.ID, Family: c.Family, Title: c.Title, Page: c.Page, Rules: c.Rules, Mode: mode}
}
