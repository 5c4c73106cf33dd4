package main

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

func TestDescribeBuild(t *testing.T) {
	info := func(version string, settings ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for _, s := range settings {
			key, value, _ := strings.Cut(s, "=")
			b.Settings = append(b.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		return b
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{info(""), "verbsgen (devel)"},
		{info("(devel)"), "verbsgen (devel)"},
		{info("v1.2.3"), "verbsgen v1.2.3"},
		{info("v1.2.4-0.20260102030405-0123456789ab"), "verbsgen v1.2.4-0.20260102030405-0123456789ab"},
		{info("(devel)", "vcs.revision=feedbeef", "vcs.modified=false"), "verbsgen (devel) (feedbeef)"},
		{info("v1.2.3+dirty", "vcs.revision=feedbeef", "vcs.modified=true"), "verbsgen v1.2.3+dirty (feedbeef, modified)"},
	} {
		if got := describeBuild(c.info); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.info, got, c.want)
		}
	}
}

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
