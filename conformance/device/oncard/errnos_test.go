//go:build linux && cgo

package oncard

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestErrnos makes calls for which libmlx5, libefa or the kernel have an errno that says little, or none, and looks for what else the
// error says.
func TestErrnos(t *testing.T) {
	device := os.Getenv(role + "_DEVICE")
	if device == "" {
		for _, name := range []string{card.Devices[0], "efa_0"} {
			env := []string{role + "_DEVICE=" + name}
			if name == "efa_0" {
				env = append(env, onEFA(t, "mlx5")...)
			}
			cmd := exec.Command(must(os.Executable())(t), "-test.run=^TestErrnos$")
			cmd.Env = append(os.Environ(), env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
		return
	}
	dev := open(t, device)
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	said := map[string]error{}
	_, said["type DRIVER has attributes; make it by the package of its driver; [VR-ibv_create_qp_ex-qp_type-4212]"] = dev.CreateQPEx(
		verbs.NewQPInitAttrEx(verbs.QPTypeDriver, cq, cq, pd).MaxSendWR(1).MaxRecvWR(1))
	_, said["type DRIVER has attributes; make it by the package of its driver; [VR-ibv_create_qp-qp_type-4211]"] = pd.CreateQP(
		verbs.QPInitAttr{Type: verbs.QPTypeDriver, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1})
	if device == "efa_0" {
		channel := must(dev.CreateCompChannel())(t)
		_, said["does not share one between processes; open the device by its name"] = dev.Lib().ImportDevice(dev.CmdFD())
		_, said["no parent domains; use the protection domain"] = dev.AllocParentDomain(verbs.NewParentDomainAttr(pd))
		_, said["no thread domains; make objects with the protection domain"] = dev.AllocTD()
		_, said["no completion events; pass none, and poll"] = dev.CreateCQ(16, channel, 0)
		_, said["no completion events for the channel"] = dev.CreateCQEx(verbs.NewCQInitAttrEx(16, 0).Channel(channel))
	} else {
		_, said["ibv_create_ah: "] = pd.CreateAH(verbs.AHAttr{PortNum: 9, IsGlobal: true})
		srq := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 4, MaxSGE: 1}))(t)
		ops := must(verbs.NewOpsBatch(1, 1))(t)
		ops.WR(0).Del(1, 0)
		_, said["BASIC: this queue has no tags; make the queue by Device.CreateSRQEx with SRQTypeTM"] = srq.PostOps(ops, 1)
		init := verbs.NewQPAttr(verbs.QPStateInit).PortNum(1).PKeyIndex(0).AccessFlags(verbs.QPAccessRemoteWrite)
		_, qp := dct(t)
		if err := qp.Modify(init); err != nil {
			t.Fatal(err)
		}
		said["INIT to INIT, which is no transition: a DCT of mlx5"] = qp.Modify(init)
		said["INIT to RTS, which is no transition: a DCT of mlx5"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS))
		said["INIT to ERR, which is no transition; to end it, close it"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateErr))
		said["INIT to RTR without AV|MinRNRTimer"] = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTR).PathMTU(verbs.MTU1024))
	}
	for words, err := range said {
		for _, w := range strings.Split(words, ";") {
			if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(w)) {
				t.Errorf("%v, want %q", err, w)
			}
		}
	}
}
