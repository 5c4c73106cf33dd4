//go:build linux && cgo

package conformance

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

const (
	slurmJob      = "../examples/slurm/two-machines.sh"
	kubernetesJob = "../examples/kubernetes/two-machines.yaml"
)

// flagsOf returns the names of the flags in calls of a program in a file, of which there are some.
func flagsOf(t *testing.T, file, call string) (names []string) {
	t.Helper()
	name := regexp.MustCompile(`(?:^|[\s"` + "`" + `])-([a-z][a-z.-]*)`)
	for _, line := range regexp.MustCompile(call).FindAllString(string(must(os.ReadFile(file))(t)), -1) {
		for _, m := range name.FindAllStringSubmatch(" "+line, -1) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 && file != "../examples/kubernetes/README.md" {
		t.Errorf("%s: no flag is seen", file)
	}
	return names
}

// TestFlagsOfJobs has each flag that the examples and the page give this program be one that it has.
func TestFlagsOfJobs(t *testing.T) {
	const call = `(?:conformance\.test|-args|"\$binary"|MORE=").*|` + "`-.*" + `|[( ]-(?:listen|connect) .*`
	for _, file := range []string{slurmJob, kubernetesJob, "../examples/slurm/README.md", "../examples/kubernetes/README.md",
		"../docs/two-machines.md"} {
		for _, name := range flagsOf(t, file, call) {
			if name != "args" && flag.Lookup(name) == nil { // of go test
				t.Errorf("%s: there is no flag -%s", file, name)
			}
		}
	}
}

// manifest is what has to fit together in the objects of an example.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Selector       map[string]any
		ClusterIP      string `yaml:"clusterIP"`
		Ports          []struct{ Port int }
		CompletionMode string `yaml:"completionMode"`
		Completions    int
		Parallelism    int
		Template       struct {
			Metadata struct{ Labels, Annotations map[string]string }
			Spec     struct {
				Subdomain  string
				Containers []struct {
					Image   string
					Command []string
					Ports   []struct {
						ContainerPort int `yaml:"containerPort"`
					}
					Resources struct{ Limits map[string]int }
				}
			}
		}
	}
}

// manifests reads the objects of an example.
func manifests(t *testing.T, file string) map[string]manifest {
	t.Helper()
	text := must(os.ReadFile(file))(t)
	out := map[string]manifest{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var m manifest
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out[m.Kind] = m
	}
}

// TestKubernetes has the example's objects fit together: the name by which one pod finds the other, ports, labels, the device.
func TestKubernetes(t *testing.T) {
	all := manifests(t, kubernetesJob)
	service, job := all["Service"], all["Job"]
	pod := job.Spec.Template.Spec
	if len(all) != 2 || len(pod.Containers) != 1 || len(service.Spec.Ports) != 1 {
		t.Fatalf("%+v", all)
	}
	c := pod.Containers[0]
	script := c.Command[len(c.Command)-1]
	port := strconv.Itoa(service.Spec.Ports[0].Port)
	for what, ok := range map[string]bool{
		"two pods with an index":     job.Spec.CompletionMode == "Indexed" && job.Spec.Completions == 2 && job.Spec.Parallelism == 2,
		"a headless service":         service.Spec.ClusterIP == "None",
		"the service's name in pods": pod.Subdomain == service.Metadata.Name,
		"its selector is the pods' label": job.Spec.Template.Metadata.Labels["app"] != "" &&
			job.Spec.Template.Metadata.Labels["app"] == service.Spec.Selector["app"],
		"the name of the pod before it": strings.Contains(script,
			`-connect "`+job.Metadata.Name+"-$((JOB_COMPLETION_INDEX - 1))."+service.Metadata.Name+":"+port+`" `),
		"the port that it listens on": strings.Contains(script, `-listen "$ADDRESS:`+port+`" -once`),
		"a shared device":             len(c.Resources.Limits) == 1,
		"an image of the user's":      c.Image == "IMAGE",
	} {
		if !ok {
			t.Errorf("not so: %s", what)
		}
	}
}

// fakes are programs in front of the others on the path.
func fakes(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + dir + ":" + os.Getenv("PATH")
}

// run does what a pod of the index does.
func (m manifest) run(t *testing.T, index, address, dir string) ([]byte, error) {
	t.Helper()
	command := m.Spec.Template.Spec.Containers[0].Command
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+index, "DEVICE=softverbs", "ADDRESS="+address,
		fakes(t, map[string]string{"conformance.test": `echo "$0 $*"; echo "{}" >` + dir + `; exit 3`}))
	return cmd.CombinedOutput()
}

// TestKubernetesScript runs the script of both pods with a program that only says how it was called.
func TestKubernetesScript(t *testing.T) {
	const file = "/tmp/report.json"
	job := manifests(t, kubernetesJob)["Job"]
	script := &job.Spec.Template.Spec.Containers[0].Command[2]
	mine := filepath.Join(t.TempDir(), "report.json")
	if !strings.Contains(*script, file) {
		t.Fatalf("no %s in %s", file, *script)
	}
	*script = strings.ReplaceAll(*script, file, mine)
	for pod, want := range map[[2]string]string{
		{"0", "127.0.0.1"}: "conformance.test -device softverbs -listen 127.0.0.1:7471 -once -idle 15m\n",
		{"0", "fd00::7"}:   "conformance.test -device softverbs -listen [fd00::7]:7471 -once -idle 15m\n",
		{"4", "127.0.0.1"}: "conformance.test -device softverbs -listen 127.0.0.1:7471 -once -idle 15m\n",
		{"1", "127.0.0.1"}: "conformance.test -device softverbs -connect two-machines-0.two-machines:7471 -wait 10m -report " +
			mine + "\n---- report ----\n{}\n",
		{"5", "127.0.0.1"}: "conformance.test -device softverbs -connect two-machines-4.two-machines:7471 -wait 10m -report " +
			mine + "\n---- report ----\n{}\n",
	} {
		out, err := job.run(t, pod[0], pod[1], mine)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.HasSuffix(string(out), want) {
			t.Errorf("pod %v: %v, want status 3 and %q\n%s", pod, err, want, out)
		}
	}
}

// slurm runs the example's job as Slurm would, both nodes being this machine.
func slurm(t *testing.T, dir string, env ...string) (string, error) {
	t.Helper()
	job := must(filepath.Abs(slurmJob))(t)
	cmd := exec.CommandContext(t.Context(), "bash", job)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SLURM_JOB_ID=77", "SLURM_JOB_NODELIST=node[1-2]", "BINARY="+os.Args[0], fakes(t, map[string]string{
		"scontrol": `case "$*" in
"show hostnames node[1-2]") echo node1; echo node2;;
"show hostnames node1") echo node1;;
"--oneliner show node node1") echo "NodeName=node1 Arch=x86_64 NodeAddr=127.0.0.1 NodeHostName=node1";;
*) exit 9;;
esac`,
		"srun": `while [ "${1#-}" != "$1" ]; do options="$options $1"; shift; done
echo "srun$options" >>srun.txt
exec "$@"`,
	}))
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// port returns a TCP port that nobody listens on just now.
func port(t *testing.T) string {
	t.Helper()
	ln := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	return strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
}

// TestSlurm runs the example's job: both sides greet, and the report is there. Then what can go wrong.
func TestSlurm(t *testing.T) {
	dir := t.TempDir()
	out, err := slurm(t, dir, "DEVICE=softverbs", "PORT="+port(t), "MORE=-gid-index 0 -test.run ^TestSuite$/^CF-dev-")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data := must(os.ReadFile(filepath.Join(dir, "report-77.json")))(t)
	r, err := report.Decode(data)
	if err != nil || r.Peer == nil || r.Count()[report.Pass] == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	srun, _ := os.ReadFile(filepath.Join(dir, "srun.txt"))
	for _, node := range []string{"node1", "node2"} {
		if want := "srun --nodes=1 --ntasks=1 --nodelist=" + node + "\n"; !strings.Contains(string(srun), want) {
			t.Errorf("no %q in\n%s", want, srun)
		}
	}
	if !strings.Contains(out, "the session is over; it had 0 ends") || !strings.Contains(out, "report: "+dir+"/report-77.json\n") {
		t.Errorf("it said\n%s", out)
	}
	if out, err := slurm(t, dir, "DEVICE=softverbs", "PORT="+port(t), "SLURM_ARRAY_JOB_ID=70", "SLURM_ARRAY_TASK_ID=3",
		"MORE=-test.run ^TestSuite$/^CF-dev-"); err != nil ||
		!strings.Contains(out, "report: "+dir+"/report-70_3.json\n") {
		t.Errorf("in an array: %v\n%s", err, out)
	}
	for want, env := range map[string][]string{
		"name the device of both nodes":                     nil,
		"no program " + dir + "; make it with: go test -c ": {"DEVICE=softverbs", "BINARY=" + dir},
		"1 nodes (node1); it takes two":                     {"DEVICE=softverbs", "SLURM_JOB_NODELIST=node1"},
		"ibv_query_port":                                    {"DEVICE=softverbs", "PORT=" + port(t), "MORE=-port 9"},
	} {
		if out, err := slurm(t, t.TempDir(), env...); err == nil || !strings.Contains(out, want) {
			t.Errorf("%v: %v, want %q\n%s", env, err, want, out)
		}
	}
}
