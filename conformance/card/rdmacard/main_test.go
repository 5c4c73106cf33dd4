//go:build linux

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const asCommand = "RDMACARD_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// rdmacard runs the command, and returns what it says and its exit status.
func rdmacard(t *testing.T, args ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(said)), cmd.ProcessState.ExitCode()
}

// TestRun runs programs, which see the devices, and ends as they do.
func TestRun(t *testing.T) {
	const state = "/sys/class/infiniband/mlx5_0/ports/1/state"
	dir := filepath.Join(t.TempDir(), "card")
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"run -- cat " + state, "4: ACTIVE", 0},
		{"run ls /sys/class/infiniband/", "mlx5_0\nmlx5_1", 0},
		{"run --devices mlx5,efa,mlx5 -- ls /sys/class/infiniband/", "efa_0\nmlx5_0\nmlx5_1", 0},
		{"run --devices 1 -- ls /sys/class/infiniband/", "mlx5_0", 0},
		{"list --devices efa,mlx5:cx7:gids=-.-.5.7", "DEVICE  TYPE    GUID                 PORT              GIDS\n" +
			"efa_0   efa     9803:9b03:0001:0000  ACTIVE, Ethernet  0: fe80::9a03:9bff:fe00:1 (IB/RoCE v1)\n" +
			"mlx5_0  MT4129  9803:9b03:0001:0001  ACTIVE, Ethernet  5: ::ffff:192.168.77.2 (IB/RoCE v1), 7: ::ffff:192.168.77.2 (RoCE v2)", 0},
		{"run -- go env GOHOSTOS", "linux", 0},
		{"run -- sh -c exit\t3", "", 3},
		{"run -- sh -c kill\t-TERM\t$$", "rdmacard: sh: terminated", 128 + 15},
		{"run -- sh -c kill\t-INT\t$$", "rdmacard: sh: interrupt", 128 + 2},
		{"log -o /tmp/x -- sh -c echo\t$CARD_LOG", "/tmp/x", 0},
		{"run -- no-such-program", `rdmacard: exec: "no-such-program": executable file not found in $PATH`, 1},
		{"run --devices bnxt_re -- true", `rdmacard: no provider "bnxt_re": there are efa and mlx5`, 1},
		{"run --devices efa:vf -- true", `rdmacard: device "efa:vf": only devices of mlx5 have options`, 1},
		{"run --devices mlx5:cx3 -- true", `rdmacard: device "mlx5:cx3": no option "cx3": there are ib, vf, net=NAME, gids=0.1.2.3, and the models cx4, ` +
			"cx4lx, cx5, cx6, cx6dx, cx7", 1},
		{"run --devices mlx5:gids=1.1.0.2 -- true", `rdmacard: device "mlx5:gids=1.1.0.2": gids=1.1.0.2: 1 is no free place of the table, ` +
			"which has 0 to 255", 1},
		{"run --devices mlx5:gids=1 -- true", `rdmacard: device "mlx5:gids=1": gids=1: want 4 places of the table with a point between them, ` +
			"- for a GID that is not there", 1},
		{"run --devices 17 -- true", "rdmacard: 17 devices: at most 16", 1},
		{"fault mlx5_0", "rdmacard: no folder of a card: pass the --dir that the programs run with", 1},

		{"fault --dir DIR mlx5_0", "rdmacard: DIR has no card: rdmacard run --dir makes one (stat DIR/devices/options.json: " +
			"no such file or directory)", 1},
		{"run --dir DIR --devices 3 -- ls /sys/class/infiniband/", "mlx5_0\nmlx5_1\nmlx5_2", 0},
		{"run --dir DIR -- ls /sys/class/infiniband/", "mlx5_0\nmlx5_1\nmlx5_2", 0},
		{"run --dir DIR --devices 2 -- true", `rdmacard: DIR has a card with other devices ({"Devices":["mlx5","mlx5","mlx5"],"Libraries":""}): ` +
			"ask for those, or name another folder", 1},
		{"fault --dir DIR mlx5_0 --down", "", 0},
		{"run --dir DIR -- cat " + state, "1: DOWN", 0},
		{"run --dir DIR -- SELF fault mlx5_0", "", 0},
		{"run --dir DIR -- cat " + state, "4: ACTIVE", 0},
		{"fault --dir DIR mlx5_3", "rdmacard: no device \"mlx5_3\" on the card of DIR, which has mlx5_0, mlx5_1, mlx5_2", 1},
		{"fault --dir DIR mlx5_0 --lost NaN", "rdmacard: NaN of requests lost, delay 0s: want a share from 0 to 1, and at most an hour", 1},
		{"fault --dir DIR mlx5_0 --lost 2", "rdmacard: 2 of requests lost, delay 0s: want a share from 0 to 1, and at most an hour", 1},
	} {
		self, _ := os.Executable()
		args := strings.Split(strings.ReplaceAll(c.args, "SELF", self), " ") // a tab is a space in an argument
		for i, a := range args {
			args[i] = strings.ReplaceAll(strings.ReplaceAll(a, "DIR", dir), "\t", " ")
		}
		said, status := rdmacard(t, args...)
		if said != strings.ReplaceAll(c.want, "DIR", dir) || status != c.status {
			t.Errorf("%s: %q, status %d", c.args, said, status)
		}
	}
}

// TestEnv takes the card's variables to a program that the command does not start.
func TestEnv(t *testing.T) {
	said, status := rdmacard(t, "env", "--dir", t.TempDir())
	cmd := exec.Command("cat", "/sys/class/infiniband/mlx5_1/hca_type")
	cmd.Env = append(os.Environ(), strings.Split(said, "\n")...)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "MT4123\n" || status != 0 {
		t.Errorf("status %d: %v, %s\n%s", status, err, out, said)
	}
}

// TestEnvFolder says where a card is whose folder nobody named.
func TestEnvFolder(t *testing.T) {
	t.Setenv("CARD_WIRE", "")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if said, status := rdmacard(t, "env"); !strings.Contains(said, "rdmacard: the card is in the new folder "+dir) || status != 0 {
		t.Errorf("status %d: %s", status, said)
	}
}

// TestUnreachable has programs that the dynamic linker does not give the card.
func TestUnreachable(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("static.c"), []byte("void _start(void) { for (;;); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-static", "-nostdlib", "-o", at("static"), at("static.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := "#!" + at("static") + " -x\n"
	if err := os.WriteFile(at("script"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"static": "static is linked statically",
		"script": "static is linked statically",
	}
	if os.Getuid() == 0 {
		cat, err := os.ReadFile("/bin/cat")
		err = errors.Join(err, os.WriteFile(at("setuid"), cat, 0o755), os.Chown(at("setuid"), 65534, 65534),
			os.Chmod(at("setuid"), 0o755|os.ModeSetuid))
		if err != nil {
			t.Fatal(err)
		}
		want["setuid"] = "setuid is a setuid program"
	}
	for name, text := range want {
		if said, status := rdmacard(t, "run", at(name)); !strings.Contains(said, text) || status != 1 {
			t.Errorf("%s: %q, status %d", name, said, status)
		}
	}
}
