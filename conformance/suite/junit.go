package suite

import (
	"io"
	"strings"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

// WriteJUnit writes a report in the form that CI systems read. They know no "known": such a case is skipped there, and says
// so.
func WriteJUnit(w io.Writer, r *report.Report) error {
	suites := map[string]*junit.Testsuite{}
	times := map[string]time.Duration{}
	var order []string
	for i := range r.Cases {
		c := &r.Cases[i]
		s := suites[c.Family]
		if s == nil {
			s = &junit.Testsuite{Name: "conformance/" + c.Family, Hostname: r.Host.Name, ID: len(order)}
			s.SetTimestamp(r.Started)
			for _, p := range [][2]string{{"device", r.Device.Name}, {"provider", r.Device.Provider}, {"kernel", r.Host.Kernel},
				{"rdma-core", r.Library.RDMACore}, {"mode", r.Mode}} {
				s.AddProperty(p[0], p[1])
			}
			suites[c.Family] = s
			order = append(order, c.Family)
		}
		s.AddTestcase(testcase(c))
		times[c.Family] += time.Duration(c.Duration)
	}
	out := junit.Testsuites{Time: seconds(r.Duration)}
	for _, name := range order {
		s := *suites[name]
		s.Time = seconds(report.Seconds(times[name]))
		out.AddSuite(s)
	}
	return out.WriteXML(w)
}

// seconds is a duration as an attribute.
func seconds(s report.Seconds) string {
	text, _ := s.MarshalJSON() // never fails
	return string(text)
}

func testcase(c *report.Case) junit.Testcase {
	tc := junit.Testcase{Name: c.ID + " " + c.Title, Classname: "conformance." + c.Family, Time: seconds(c.Duration)}
	said := &junit.Result{Message: oneLine(c.Reason), Data: c.Reason}
	switch c.Status {
	case report.Fail:
		tc.Failure = said
	case report.Skip:
		tc.Skipped = said
	case report.Known:
		said.Message = "known defect: " + said.Message
		said.Data += "\n" + c.Evidence
		tc.Skipped = said
	}
	return tc
}

// oneLine cuts a reason for the attribute of an element.
func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
