//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// writeJUnit writes the tests of a package that ended, in the form that CI systems read.
func writeJUnit(file, path string, t *tally) error {
	s, seconds := junit.Testsuite{Name: path}, 0.0
	for _, e := range t.tests {
		c := junit.Testcase{Classname: path, Name: e.name, Time: fmt.Sprint(e.seconds)}
		switch e.action {
		case "fail":
			c.Failure = &junit.Result{Message: e.said}
		case "skip":
			c.Skipped = &junit.Result{Message: e.said}
		}
		s.AddTestcase(c)
		if !strings.Contains(e.name, "/") { // a test has the time of its subtests
			seconds += e.seconds
		}
	}
	s.Time = fmt.Sprint(seconds)
	out := junit.Testsuites{}
	out.AddSuite(s)
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(out.WriteXML(f), f.Close())
}
