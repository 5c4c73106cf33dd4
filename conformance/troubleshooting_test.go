//go:build linux && cgo

package conformance

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	setups "github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestTroubleshooting makes the error of each entry of the guide to troubleshooting, and looks for the words of the entry in it. What needs
// another machine is looked for in a file that has the errors of another test.
func TestTroubleshooting(t *testing.T) {
	const machines, fixtures = "../docs/errors.md", "../runtime/gensupport/fail"
	elsewhere := map[string]string{
		"the kernel has no RDMA":                                  machines,
		"no device ...; there is none":                            machines,
		"user ... may not read and write /dev/infiniband/uverbs0": machines,
		"file descriptors (RLIMIT_NOFILE) are left":               machines,
		"fd ... is ..., not a dma-buf":                            fixtures + "/dmabuf_linux_test.go",
		"the kernel's driver has version ... of its interface, its driver is ..., of MLNX_OFED or DOCA": fixtures + "/provider_linux_test.go",
	}
	met := map[string]bool{}
	for line := range strings.Lines(string(must(os.ReadFile("../docs/guide/troubleshooting.md"))(t))) {
		cell, _, row := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !row || !strings.HasPrefix(line, "| ") || cell == "the error says" {
			continue
		}
		met[cell] = true
		t.Run(cell, func(t *testing.T) {
			said := ""
			switch call, file := troubles[cell], elsewhere[cell]; {
			case file != "":
				said = string(must(os.ReadFile(file))(t))
			case call != nil:
				err := call(t)
				if err == nil {
					t.Fatal("no error")
				}
				said = err.Error()
			default:
				t.Fatal("nothing makes the error of this entry")
			}
			for _, words := range regexp.MustCompile(`\.\.\.|, |; |a completion with status| or |( of a .*)`).Split(strings.Trim(cell, "`"), -1) {
				if words = strings.Trim(words, ", "); !strings.Contains(said, words) {
					t.Errorf("the entry says %q, and the error %s", words, said)
				}
			}
		})
	}
	for cell := range troubles {
		if !met[cell] {
			t.Errorf("the guide has no entry %q", cell)
		}
	}
}

// envLoad has the program only load a library, and print the error.
const envLoad = "VERBSGEN_TEST_LOAD"

// loadAlone is for the process that envLoad names a library for.
func loadAlone() {
	if path := os.Getenv(envLoad); path != "" {
		_, err := verbs.Load(verbs.Path(path))
		fmt.Print(err)
		os.Exit(0)
	}
}

// troubles make the errors of entries, on software devices.
var troubles = map[string]func(*testing.T) error{
	"`libibverbs.so.1: no such file`": func(t *testing.T) error { // in a process that has loaded none
		child := exec.Command(must(os.Executable())(t))
		child.Env = append(os.Environ(), envLoad+"="+filepath.Join(t.TempDir(), "libibverbs.so.1"))
		return errors.New(string(must(child.Output())(t)))
	},
	"the limit on locked memory, RLIMIT_MEMLOCK, is ...": func(t *testing.T) error {
		return errorOf(must(open(t, softverbs.MemlockLimit(64<<10)).dev.AllocPD())(t).RegMR(make([]byte, 128<<10), 0))
	},
	"..., SGIDIndex, is the link-local address ..., and DGID is the IPv4 address ...": func(t *testing.T) error { return lostPeer(t, 0, "::ffff:192.0.2.1") },
	"nobody answers at ..., no route leads to ...": func(t *testing.T) error {
		return errors.Join(lostPeer(t, 1, "::ffff:192.0.2.1"), lostPeer(t, 0, "2001::1"))
	},
	"the queue is full ...; none of these requests is signaled": func(t *testing.T) error {
		p, _ := verbstest.Pair(t, open(t, softverbs.LikeMLX5()).dev)
		batch := must(verbs.NewSendBatch(1, 1))(t)
		batch.WR(0).Send(1)
		for range 1 << 16 {
			if _, err := p.QP.PostSend(batch, 1); err != nil {
				return err
			}
		}
		return nil
	},
	"flows, raw packets need CAP_NET_RAW": func(t *testing.T) error {
		b := openWithout(t)
		cq, pd := must(b.dev.CreateCQ(4, nil, 0))(t), must(b.dev.AllocPD())(t)
		_, raw := pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRawPacket, SendCQ: cq, RecvCQ: cq, MaxSendWR: 1, MaxSendSGE: 1})
		qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, MaxRecvWR: 1}))(t)
		_, flow := qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(&verbs.FlowSpecEth{}))
		return errors.Join(raw, flow)
	},
	"function not implemented, operation not supported": func(t *testing.T) error {
		b := open(t, softverbs.Fail("ibv_alloc_td", 1, syscall.ENOSYS), softverbs.Fail("ibv_alloc_pd", 1, syscall.EOPNOTSUPP))
		_, td := b.dev.AllocTD()
		_, pd := b.dev.AllocPD()
		if !errors.Is(td, errors.ErrUnsupported) || !errors.Is(pd, errors.ErrUnsupported) {
			t.Errorf("%v, %v: not ErrUnsupported", td, pd)
		}
		return errors.Join(td, pd)
	},
	"a completion with status RETRY_EXC_ERR": func(t *testing.T) error {
		return completed(t, func(s *verbs.RCSetup) { s.DestQPNum = 0xabcdef },
			func(w verbs.SendWR, mr *verbs.MR) { w.Write(1, mr.IOVA(), mr.RKey()) }, "the peer did not answer", "MTU")
	},
	"a completion with status RNR_RETRY_EXC_ERR": func(t *testing.T) error {
		return completed(t, nil, func(w verbs.SendWR, _ *verbs.MR) { w.Send(1) }, "the peer had no receive posted")
	},
	"a completion with status LOC_LEN_ERR or LOC_QP_OP_ERR of a UD receive": shortDatagram,
	"a completion with status REM_INV_REQ_ERR of a READ or atomic": func(t *testing.T) error {
		return completed(t, func(s *verbs.RCSetup) { s.MaxDestRDAtomic = 0 },
			func(w verbs.SendWR, mr *verbs.MR) { w.Read(1, mr.IOVA(), mr.RKey()) }, "AccessFlags", "MaxDestRDAtomic is 0")
	},
	"a completion with status REM_ACCESS_ERR": func(t *testing.T) error {
		return completed(t, nil, func(w verbs.SendWR, mr *verbs.MR) { w.Write(1, mr.IOVA(), mr.RKey()+1) }, "rkey is wrong")
	},
}

// lostPeer is the error of an address handle to a peer that is not reached.
func lostPeer(t *testing.T, sgid uint8, to string) error {
	_, err := must(open(t).dev.AllocPD())(t).CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, SGIDIndex: sgid,
		DGID: must(verbs.ParseGID(to))(t)})
	return err
}

// completed is the error of the completion of a request to the queue pair itself. It says the words.
func completed(t *testing.T, change func(*verbs.RCSetup), build func(verbs.SendWR, *verbs.MR), says ...string) error {
	t.Helper()
	dev := open(t).dev
	e := must(link.NewEnd(dev))(t)
	setup := setups.DefaultSetup()
	setup.DestQPNum = e.QP.Num()
	setup.AV = verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(dev.QueryGID(1, 0))(t), HopLimit: 1}
	setup.Timeout, setup.RetryCnt, setup.RNRRetry, setup.MinRNRTimer = 8, 3, 1, 1
	if change != nil {
		change(&setup)
	}
	must(0, errors.Join(e.QP.Modify(setup.RTR()), e.QP.Modify(setup.RTS())))(t)
	e.Post(t, func(w verbs.SendWR) {
		build(w, e.MR)
		w.Add(e.MR.UncheckedSGE(0, 64))
	})
	return failedWith(t, e.CQ, says)
}

// failedWith is the error of the next completion that failed.
func failedWith(t *testing.T, cq *verbs.CQ, says []string) error {
	t.Helper()
	for {
		err := must(verbstest.Wait(cq, 1))(t)[0].Err()
		if err == nil {
			continue
		}
		for _, words := range says {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%v does not say %q", err, words)
			}
		}
		return err
	}
}

// shortDatagram receives a datagram in memory without room for the header in front of it. Software devices and soft-RoCE say LOC_QP_OP_ERR,
// and cards LOC_LEN_ERR.
func shortDatagram(t *testing.T) error {
	c := link.Default()
	c.Type = verbs.QPTypeUD
	dev := open(t).dev
	a, b := c.Connected(t, dev, dev)
	way, _ := a.Way(b)
	ah := must(a.PD.CreateAH(way))(t)
	b.Recv(t, 1, 0, 64)
	a.Post(t, func(w verbs.SendWR) {
		must(0, ah.Address(w.Send(2).Add(a.MR.UncheckedSGE(0, 64)), b.QP.Num(), c.QKey))(t)
	})
	card := verbs.WC{Status: verbs.WCStatusLocLenErr}.Err()
	if !strings.Contains(card.Error(), "without room for the 40 bytes of GRH") {
		t.Error(card)
	}
	return errors.Join(card, failedWith(t, b.CQ, []string{"on UD with the 40 bytes of GRH in front of it"}))
}
