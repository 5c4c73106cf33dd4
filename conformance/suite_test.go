//go:build linux && cgo

package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/google/renameio/v2"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/internal/overlay"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

var (
	deviceFlag = flag.String("device", suite.Software, "device to test; "+suite.Software+" is one made of software")
	peerFlag   = flag.String("peer-device", "",
		"a second device of this machine, connected to the first (default: the device is its own peer)")
	portFlag   = flag.Uint("port", 1, "port of the devices")
	gidFlag    = flag.Int("gid-index", far.AnyGID, "entry of the ports' GID tables (default: the first of RoCE v2; on InfiniBand the LID)")
	directFlag = flag.Bool("direct", false, "mlx5: post and poll in Go, without libmlx5, where a case does it by batches")
	overFlag   = flag.Bool("overlay", false, "give a device without device memory one made of host memory")
	reportFlag = flag.String("report", "", "write the report to this `file`, as JSON")
	junitFlag  = flag.String("junit", "", "write the report to this `file`, as JUnit XML")
)

// TestSuite runs every case on the device, each as a subtest. A device that is not there, or a run without a case, is a
// failure. On the default software device the answers are those of the kernel that TestParity names.
func TestSuite(t *testing.T) {
	target := must(suite.Open(config()))(t)
	t.Log(target)
	connect(t, target)
	unreached(t, target)
	running := newRunning(t, target.Report([]report.Case{}))
	var results []report.Case
	for _, c := range cases.All() {
		t.Run(c.ID, func(t *testing.T) {
			running.begin(t, target.Unended(c))
			r := target.Run(c)
			running.end(t, r)
			results = append(results, r)
			tell(t, r)
		})
	}
	if len(results) == 0 {
		t.Fatal("no case ran")
	}
	running.close(t)
	r := target.Report(results)
	n := r.Count()
	// not of t, which is silent when all is well: a run of skipped cases would look like one of passed ones
	fmt.Printf("%v: %d cases: %d pass, %d fail, %d skip, %d known\n", target, len(results), n[report.Pass], n[report.Fail],
		n[report.Skip], n[report.Known])
	write(t, r)
	byDefault := *connectFlag == "" && reflect.DeepEqual(config(), suite.Config{Device: suite.Software, Port: 1, GIDIndex: far.AnyGID})
	if byDefault && len(results) == len(cases.All()) {
		t.Run("Parity", func(t *testing.T) { defaultParity(t, r) })
	}
}

// config is what the flags say of the device.
func config() suite.Config {
	c := suite.Config{Device: *deviceFlag, PeerDevice: *peerFlag, Port: uint8(*portFlag), GIDIndex: *gidFlag}
	if *overFlag {
		c.Overlay = func(library verbs.Symbols) verbs.Symbols { return overlay.Over(library) }
	}
	if *directFlag {
		c.Take = takeQueues()
	}
	return c
}

// takeQueues has Go take the queues of mlx5. A completion queue may be that of several queue pairs.
func takeQueues() func(*verbs.QP, *verbs.CQ, *verbs.CQ) (func() error, error) {
	taken := map[*verbs.CQ]*direct.CQ{}
	return func(qp *verbs.QP, sends, recvs *verbs.CQ) (func() error, error) {
		dv, err := mlx5dv.Load(qp.Device().Lib())
		if err != nil {
			return nil, err
		}
		for _, cq := range []*verbs.CQ{sends, recvs} {
			if taken[cq] == nil {
				if taken[cq], err = direct.TakeCQ(dv, cq, direct.Shared); err != nil {
					return nil, err
				}
			}
		}
		q, err := direct.TakeQP(dv, qp, taken[sends], taken[recvs], nil, direct.Shared)
		return q.Close, err
	}
}

// tell makes a case's result that of its subtest. A known defect is no pass.
func tell(t *testing.T, r report.Case) {
	t.Helper()
	switch r.Status {
	case report.Fail:
		t.Errorf("%s: %s", r.Title, r.Reason)
	case report.Known:
		t.Skipf("known defect: %s: %s (%s)", r.Title, r.Reason, r.Evidence)
	case report.Skip:
		t.Skipf("%s: %s", r.Title, r.Reason)
	case report.Pass:
		if r.Reason != "" {
			t.Log(r.Reason)
		}
	}
}

// write leaves the report in the files asked for.
func write(t *testing.T, r *report.Report) {
	t.Helper()
	if *reportFlag != "" {
		data := must(report.Encode(r))(t)
		if err := renameio.WriteFile(*reportFlag, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if *junitFlag != "" {
		var b bytes.Buffer
		if err := suite.WriteJUnit(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*junitFlag, b.Bytes(), 0o644); err != nil {
			t.Error(err)
		}
	}
}
