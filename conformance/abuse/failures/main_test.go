//go:build linux && cgo

package failures

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Variables of the environment of a child of the tests.
const (
	envEnvironment = "VERBSGEN_ENVIRONMENT" // the environment to make
	envRoot        = "VERBSGEN_ROOT"        // its folder
	envReady       = "VERBSGEN_READY"       // set when the environment is made, and only the program is left to run
)

func TestMain(m *testing.M) {
	name := os.Getenv(envEnvironment)
	if name == "" {
		os.Exit(m.Run())
	}
	i := slices.IndexFunc(environments(), func(e environment) bool { return e.name == name })
	if err := environments()[i].run(os.Getenv(envRoot)); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	os.Exit(0)
}

// child is this program again, as the environment.
func child(ctx context.Context, name, root string, attr *syscall.SysProcAttr, env ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Env = append(os.Environ(), append(env, envEnvironment+"="+name, envRoot+"="+root)...)
	cmd.Stdin, cmd.SysProcAttr = os.Stdin, attr // nil would be /dev/null, which may not be there
	return cmd
}

// process runs the environment in a process with mounts of its own, and returns what it printed.
func (e environment) process(t *testing.T) string {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := child(ctx, e.name, t.TempDir(), ownMounts())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// ownMounts has a child see mounts of its own: root by itself, others as the root of a namespace of users.
func ownMounts() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	}
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
}

// needsMounts skips a test where the kernel does not let this user mount.
func needsMounts(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/true")
	cmd.SysProcAttr = ownMounts()
	if err := cmd.Run(); err != nil {
		t.Skipf("the kernel gives this user no mounts of its own: %v", err)
	}
}
