//go:build linux && cgo

package conformance

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	meshSlurm      = "../examples/slurm/pingmesh.sh"
	meshKubernetes = "../examples/kubernetes/pingmesh.yaml"
)

// TestFlagsOfMesh has each flag that the jobs give pingmesh be one that it has.
func TestFlagsOfMesh(t *testing.T) {
	usage, _ := exec.CommandContext(t.Context(), "go", "run", "github.com/verbsgen/verbsgen/examples/pingmesh", "-h").CombinedOutput()
	if !strings.Contains(string(usage), "-traffic-class") {
		t.Fatalf("pingmesh says\n%s", usage)
	}
	for file, call := range map[string]string{meshSlurm: `(?m)^.*"\$binary".* -peers.*$|^' pingmesh .*$`, meshKubernetes: `(?m)^ *pingmesh -.*$`} {
		for _, name := range flagsOf(t, file, call) {
			if !regexp.MustCompile(`(?m)^  -` + name + `\b`).Match(usage) {
				t.Errorf("%s: there is no flag -%s", file, name)
			}
		}
	}
}

// TestMeshKubernetes has the objects fit together, and runs the script of a pod as the agent of four pods, one with an IPv6 address.
func TestMeshKubernetes(t *testing.T) {
	all := manifests(t, meshKubernetes)
	service, pod := all["Service"], all["DaemonSet"].Spec.Template
	if len(all) != 2 || len(pod.Spec.Containers) != 1 || len(service.Spec.Ports) != 2 {
		t.Fatalf("%+v", all)
	}
	c := pod.Spec.Containers[0]
	script := c.Command[len(c.Command)-1]
	for i, p := range service.Spec.Ports {
		if c.Ports[i].ContainerPort != p.Port || !strings.Contains(strings.Join(c.Command, " ")+" ", ":"+strconv.Itoa(p.Port)+" ") {
			t.Errorf("port %d of the service is %d of the pod, or not in its command", p.Port, c.Ports[i].ContainerPort)
		}
	}
	if service.Spec.ClusterIP != "None" || service.Spec.Selector["app"] != pod.Metadata.Labels["app"] ||
		pod.Metadata.Annotations["prometheus.io/port"] != "9516" || !strings.Contains(script, "getent ahosts "+service.Metadata.Name+" ") {
		t.Errorf("the objects do not fit together: %+v", all)
	}
	for self, want := range map[string]string{
		"10.0.0.2": "10.0.0.3,[fd00::4]",
		"fd00::4":  "10.0.0.1,10.0.0.2",
		"10.0.0.9": "10.0.0.1,10.0.0.2",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
		cmd.Env = append(os.Environ(), "DEVICE=mlx5_0", "EACH=2", "ADDRESS="+self, fakes(t, map[string]string{
			"getent":   `for a in 10.0.0.3 10.0.0.1 fd00::4 10.0.0.2; do echo "$a STREAM pingmesh"; echo "$a DGRAM"; done`,
			"pingmesh": `echo "pingmesh $*"; exit 3`,
		}))
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		line := "pingmesh -device mlx5_0 -listen :18516 -peers " + want + " -metrics :9516 -duration 10m -every 15s -json\n"
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || string(out) != line {
			t.Errorf("%s: %v, want status 3 and %s\n%s", self, err, line, out)
		}
	}
}

// TestMeshSlurm runs the step of the job for three nodes, which this machine is: each agent has the peers behind it and a report of its
// own.
func TestMeshSlurm(t *testing.T) {
	dir := t.TempDir()
	job := must(filepath.Abs(meshSlurm))(t)
	cmd := exec.CommandContext(t.Context(), "bash", job)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID=77", "SLURM_JOB_NODELIST=node[1-3]", "DEVICE=mlx5_0", "EACH=2",
		"BINARY="+dir+"/bin", "MORE=-spin", fakes(t, map[string]string{
			"scontrol": `[ "$*" = "show hostnames node[1-3]" ] && printf 'node%d\n' 1 2 3`,
			"srun": `[ "$1 $2" = "--nodes=3 --ntasks=3" ] || exit 9
shift 2
for SLURMD_NODENAME in node1 node2 node3; do export SLURMD_NODENAME; "$@" || exit; done`,
		}))
	program := "#!/bin/sh\necho \"$*\"; shift; cat \"${1#@}\"\n"
	if err := os.WriteFile(filepath.Join(dir, "bin"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if reports := dir + "/pingmesh-77"; err != nil || string(out) != "reports: "+reports+"\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "pingmesh-77", "node2.json"))
	want := "-peers @" + dir + "/pingmesh-77/node2.peers -device mlx5_0 -listen :18516 -duration 2m -json -spin\nnode3:18516\nnode1:18516\n"
	if err != nil || string(got) != want {
		t.Errorf("%v; node2 has\n%swant\n%s", err, got, want)
	}
}
