package facts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHeaders takes the headers of two releases out of a small repository: one has a tag, the other is the newest commit.
func TestHeaders(t *testing.T) {
	repo, cache := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", repo, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	commit := func(release, verbs string) {
		t.Helper()
		for name, text := range map[string]string{
			"CMakeLists.txt":                        "set(PACKAGE_VERSION \"" + release + "\")\n",
			"libibverbs/CMakeLists.txt":             "publish_headers(infiniband\n  verbs.h\n  )\npublish_internal_headers(infiniband\n  driver.h)\n",
			"libibverbs/verbs.h":                    verbs,
			"libibverbs/driver.h":                   "",
			"librdmacm/CMakeLists.txt":              "publish_headers(rdma rdma_cma.h)\n",
			"librdmacm/rdma_cma.h":                  "cma",
			"kernel-headers/CMakeLists.txt":         "publish_internal_headers(rdma\n  rdma/abi.h\n  )\npublish_internal_headers(linux\n  linux/stddef.h\n  )\npublish_headers(infiniband\n  rdma/ioctl.h\n  )\n",
			"kernel-headers/rdma/abi.h":             "abi",
			"kernel-headers/rdma/ioctl.h":           "ioctl",
			"kernel-headers/linux/stddef.h":         "",
			"kernel-headers/rdma/never_published.h": "",
		} {
			file := filepath.Join(repo, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-qm", release)
	}
	git("init", "-q")
	commit("1.0", "old verbs")
	git("tag", "-a", "-m", "1.0", "v1.0")
	commit("2.0", "new verbs")

	out, err := exec.Command("./headers.sh", cache, repo, "1.0", "2.0", "3.0").CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err == nil || !strings.Contains(string(out), "has no release 3.0: no tag v3.0") {
		t.Errorf("a release that is not there: %v\n%s", err, out)
	}
	if want := cache + "/1.0:" + cache + "/2.0"; lines[len(lines)-1] != want {
		t.Errorf("the last line is %q, not %q", lines[len(lines)-1], want)
	}
	for release, verbs := range map[string]string{"1.0": "old verbs", "2.0": "new verbs"} {
		want := map[string]string{"infiniband/verbs.h": verbs, "infiniband/ioctl.h": "ioctl", "rdma/rdma_cma.h": "cma", "rdma/abi.h": "abi"}
		files, err := filepath.Glob(filepath.Join(cache, release, "usr/include/*/*"))
		if err != nil || len(files) != len(want) {
			t.Errorf("%s: %v, %v", release, files, err)
		}
		for name, text := range want {
			got, err := os.ReadFile(filepath.Join(cache, release, "usr/include", name))
			if err != nil || string(got) != text {
				t.Errorf("%s: %s holds %q, %v", release, name, got, err)
			}
		}
	}
}
