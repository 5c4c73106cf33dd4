package main

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

func TestVersion(t *testing.T) {
	for _, word := range []string{"version", "--version"} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{word}, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d, %s", word, code, &stderr)
		}
		got := stdout.String()
		if !strings.HasPrefix(got, "verbsgen ") || !strings.HasSuffix(got, " to "+api.Newest()+", "+runtime.Version()+"\n") ||
			strings.Count(got, "\n") != 1 || len(got) > 120 {
			t.Errorf("%s: got\n%s", word, got)
		}
	}
}
