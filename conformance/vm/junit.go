//go:build linux

package main

import (
	"encoding/xml"
	"os"
)

// A file of JUnit XML, in the form that CI systems read: one suite, the tests of one package.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    float64       `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

// writeJUnit writes the tests of a package that ended.
func writeJUnit(file, path string, t *tally) error {
	s := junitSuite{Name: path, Tests: len(t.tests), Failures: len(t.failed), Skipped: len(t.skipped)}
	for _, e := range t.tests {
		c := junitCase{Class: path, Name: e.name, Time: e.seconds}
		switch e.action {
		case "fail":
			c.Failure = &junitMessage{e.said}
		case "skip":
			c.Skipped = &junitMessage{e.said}
		}
		s.Cases = append(s.Cases, c)
	}
	text, err := xml.MarshalIndent(junitSuites{Suite: s}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte(xml.Header), append(text, '\n')...), 0o644)
}
