// Package report is what a run of the conformance suite leaves behind: its form as JSON, and several of them side by side.
//
// It owns the schema, the strict reader and the matrix. docs/report-schema.md explains statuses and answers. The package knows neither
// bindings nor devices, so that the command can read reports without them.
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Schema and Version name the form that is written. A reader takes older versions too.
const (
	Schema  = "verbsgen-conformance"
	Version = 2 // 1 had no observations and no peer
)

// Status is how a case ended.
type Status string

// The ways in which a case ends.
const (
	Pass  Status = "pass"
	Fail  Status = "fail"
	Skip  Status = "skip"
	Known Status = "known" // it failed in a way that is listed as a defect of the provider or the kernel
)

// Modes of a run or a case.
const (
	ModeSoftware = "softverbs" // a device made of software
	ModeDevice   = "device"    // a device of the kernel
	ModeOverlay  = "overlay"   // a device of the kernel, with device memory made of host memory
)

// Report is one run on one device.
type Report struct {
	Schema       string       `json:"schema"`
	Version      int          `json:"version"`
	Started      time.Time    `json:"started"` // RFC 3339, in UTC
	Duration     Seconds      `json:"duration_s"`
	Mode         string       `json:"mode"`
	Host         Host         `json:"host"`
	Library      Library      `json:"library"`
	Device       Device       `json:"device"`
	PeerDevice   string       `json:"peer_device,omitempty"` // the second device of the machine, if there was one
	Peer         *Peer        `json:"peer,omitempty"`        // of a run on two machines
	Capabilities []Capability `json:"capabilities"`
	Cases        []Case       `json:"cases"` // at least one
}

// Host is the machine that the suite ran on.
type Host struct {
	Name   string `json:"name"` // may be empty
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"` // release, as uname tells it
}

// Emulated reports whether the kernel half and the card are emulated, below a real library.
func (r *Report) Emulated() bool { return strings.Contains(r.Host.Kernel, "(emulated") }

// Library is the libibverbs that was called.
type Library struct {
	Name     string `json:"name"`      // path, or what stands in for a library
	RDMACore string `json:"rdma_core"` // release; empty where it cannot be told
}

// Device is the device under test.
type Device struct {
	Name     string `json:"name"`
	Provider string `json:"provider"` // kernel driver, or softverbs
	Firmware string `json:"firmware"`
	VendorID uint32 `json:"vendor_id"`
	PartID   uint32 `json:"part_id"`
}

// Peer is the machine at the other end of a run on two, as it told of itself.
type Peer struct {
	Host    Host    `json:"host"`
	Library Library `json:"library"`
	Device  Device  `json:"device"`
}

// String names the machine and its device.
func (p Peer) String() string {
	return fmt.Sprintf("%s, %s (%s), kernel %s, rdma-core %s, %s/%s", cmp.Or(p.Host.Name, "a machine without a name"), p.Device.Name,
		p.Device.Provider, p.Host.Kernel,
		p.Library.RDMACore, p.Host.OS, p.Host.Arch)
}

// Capability is something that cases need, and whether it is there.
type Capability struct {
	Name   string `json:"name"`
	Has    bool   `json:"has"`
	Reason string `json:"reason,omitempty"` // why it is lacking, or the overlay that provides it
}

// Case is how one case went.
type Case struct {
	ID       string   `json:"id"` // CF-mr-0001
	Family   string   `json:"family"`
	Title    string   `json:"title,omitempty"`
	Page     string   `json:"page,omitempty"`  // the man page
	Rules    []string `json:"rules,omitempty"` // the IDs of the rules that it tests
	Mode     string   `json:"mode"`            // ModeOverlay only if it needs the simulated device memory
	Status   Status   `json:"status"`
	Lacks    []string `json:"lacks,omitempty"`    // of a skipped case: the capabilities that are not there; none if the machine is the reason
	Reason   string   `json:"reason,omitempty"`   // of all but most passed cases
	Evidence string   `json:"evidence,omitempty"` // of a known defect
	Duration Seconds  `json:"duration_s,omitzero"`
	// Observed is what the device answered, in the order in which it was asked.
	Observed []Observation `json:"observed,omitempty"`
}

// Observation is one answer of the device: the name of an errno or of a status, "ok", "refused by rule …". It holds nothing
// that changes between two runs on the same device.
type Observation struct {
	What   string `json:"what"`
	Answer string `json:"answer"`
}

// Seconds is a duration that JSON shows in seconds.
type Seconds time.Duration

// MarshalJSON returns a number with six digits behind the point.
func (s Seconds) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%.6f", time.Duration(s).Seconds()), nil
}

// maxSeconds is the longest duration.
const maxSeconds = 366 * 24 * 3600

// UnmarshalJSON takes a number of seconds between 0 and a year.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f < 0 || f > maxSeconds {
		return fmt.Errorf("a duration of %g s", f)
	}
	*s = Seconds(f * float64(time.Second))
	return nil
}

// Count says how many cases have each status.
func (r *Report) Count() map[Status]int {
	n := map[Status]int{}
	for i := range r.Cases {
		n[r.Cases[i].Status]++
	}
	return n
}
