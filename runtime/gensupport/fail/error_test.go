package fail

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

var (
	needsLocal = &verr.Rule{
		ID: "VR-ibv_reg_mr-access-0001", Verb: "ibv_reg_mr", Subject: "access",
		Statement: "REMOTE_WRITE needs LOCAL_WRITE", Fix: "add MRAccessLocalWrite",
		Page: "ibv_reg_mr", Section: "DESCRIPTION",
	}
	lengthRange = &verr.Rule{
		ID: "VR-ibv_reg_mr-length-0002", Verb: "ibv_reg_mr", Subject: "length",
		Statement: "must be at least 1", Page: "ibv_reg_mr(3)", Section: "ARGUMENTS",
	}
	cqeBound = &verr.Rule{ID: "VR-x-0004", Subject: "cqe", Statement: "cqe is at most max_cqe", Fix: "ask for fewer", Capable: true,
		Limit: "max_cqe"}
	portBound = &verr.Rule{Subject: "port_num", Statement: "port_num is at most the number of ports", Capable: true, Limit: "phys_port_cnt"}
	inDM      = &verr.Rule{Subject: "offset", Statement: "an offset is within the buffer", Limit: "length"}
	noSubject = &verr.Rule{ID: "VR-x-0003", Statement: "one of fd and addr is given", Fix: "set one"}
)

func hints(s ...string) func() []string { return func() []string { return s } }

// TestText pins every text of the package.
func TestText(t *testing.T) {
	access := verr.Violation{Rule: needsLocal, Value: "REMOTE_WRITE (0x2)"}
	length := verr.Violation{Rule: lengthRange, Value: "0"}
	tests := []struct {
		name  string
		err   error
		short string
		more  string // that %+v adds
	}{
		{"refused", Refuse("ibv_reg_mr", access),
			"ibv_reg_mr: access REMOTE_WRITE (0x2): REMOTE_WRITE needs LOCAL_WRITE; add MRAccessLocalWrite [VR-ibv_reg_mr-access-0001]",
			"\n\tVR-ibv_reg_mr-access-0001: see ibv_reg_mr(3), DESCRIPTION"},
		{"refused twice", Violations{access, length}.Err("ibv_reg_mr"),
			"ibv_reg_mr: access REMOTE_WRITE (0x2): REMOTE_WRITE needs LOCAL_WRITE; add MRAccessLocalWrite [VR-ibv_reg_mr-access-0001]" +
				"; also length 0: must be at least 1 [VR-ibv_reg_mr-length-0002]",
			"\n\tVR-ibv_reg_mr-access-0001: see ibv_reg_mr(3), DESCRIPTION\n" +
				"\tVR-ibv_reg_mr-length-0002: see ibv_reg_mr(3), ARGUMENTS"},
		{"rule without subject, value and page", Refuse("v", verr.Violation{Rule: noSubject}),
			"v: one of fd and addr is given; set one [VR-x-0003]", ""},
		{"limit of the device", Refuse("v", verr.Violation{Rule: cqeBound, Value: "1073741824", Limit: "4194303"}),
			"v: cqe 1073741824: cqe is at most max_cqe, 4194303 on this device; ask for fewer [VR-x-0004]", ""},
		{"limit with its name", Refuse("v", verr.Violation{Rule: portBound, Value: "7", Limit: "1"}),
			"v: port_num 7: port_num is at most the number of ports (phys_port_cnt is 1 on this device)", ""},
		{"limit of an object", Refuse("v", verr.Violation{Rule: inDM, Value: "8", Limit: "4"}),
			"v: offset 8: an offset is within the buffer (length is 4)", ""},
		{"subject without value", Refuse("v", verr.Violation{Rule: lengthRange}),
			"v: length: must be at least 1 [VR-ibv_reg_mr-length-0002]",
			"\n\tVR-ibv_reg_mr-length-0002: see ibv_reg_mr(3), ARGUMENTS"},
		{"violation without rule", Refuse("v", verr.Violation{Value: "internal error"}), "v: internal error", ""},
		{"failed", Failed("ibv_reg_mr", syscall.EINVAL, nil), "ibv_reg_mr: invalid argument (EINVAL)", ""},
		{"failed with hints", Failed("ibv_reg_mr", syscall.ENOMEM, hints("the limit", "the device is full")),
			"ibv_reg_mr: cannot allocate memory (ENOMEM); may be: the limit; or the device is full", ""},
		{"failed with empty hints", Failed("ibv_reg_mr", syscall.EINVAL, hints()), "ibv_reg_mr: invalid argument (EINVAL)", ""},
		{"failed with rules and hints", &verr.Error{Verb: "v", Errno: syscall.EINVAL, Violations: []verr.Violation{length},
			Hints: []string{"or worse"}},
			"v: invalid argument (EINVAL); may be: length 0: must be at least 1 [VR-ibv_reg_mr-length-0002]; or or worse",
			"\n\tVR-ibv_reg_mr-length-0002: see ibv_reg_mr(3), ARGUMENTS"},
		{"failed without errno", Failed("ibv_alloc_pd", 0, nil), "ibv_alloc_pd: failed and gave no errno", ""},
		{"failed without errno, hint", Failed("ibv_alloc_pd", 0, hints("a static build")),
			"ibv_alloc_pd: failed and gave no errno; may be: a static build", ""},
		{"not supported", Failed("ibv_alloc_dm", syscall.EOPNOTSUPP, nil), "ibv_alloc_dm: operation not supported (EOPNOTSUPP)", ""},
		{"unknown errno", Failed("v", 4711, nil), "v: errno 4711 (errno 4711)", ""},
		{"message", &verr.Error{Verb: "ibv_alloc_dm", Errno: syscall.EIO, Msg: "while mapping"},
			"ibv_alloc_dm: while mapping: input/output error (EIO)", ""},
		{"message and cause", &verr.Error{Verb: "ibv_create_cq", Msg: "alloc callback", Errno: syscall.ENOMEM, Err: io.ErrShortBuffer},
			"ibv_create_cq: alloc callback: cannot allocate memory (ENOMEM): short buffer", ""},
		{"classifying cause alone", &verr.Error{Verb: "v", Err: os.ErrClosed}, "v: file already closed", ""},
		{"no verb", &verr.Error{Msg: "no device"}, "no device", ""},
		{"nothing", &verr.Error{}, "failed", ""},
		{"missing", Missing("ibv_reg_mr_ex", "ibv_reg_mr_ex@IBVERBS_1.15", "65.0", "libibverbs.so.1 (release 44)"),
			"ibv_reg_mr_ex: libibverbs.so.1 (release 44) has no symbol ibv_reg_mr_ex@IBVERBS_1.15, which came with rdma-core 65.0; " +
				"install rdma-core 65.0 or newer", ""},
		{"missing, nothing known", Missing("v", "v", "", ""), "v: the loaded library has no symbol v; load a newer or complete library", ""},
		{"closed", Closed("ibv_reg_mr", "PD (handle 3)"), "ibv_reg_mr: PD (handle 3) is closed", ""},
		{"busy", Busy("ibv_dealloc_pd", "PD (handle 3)", []string{"MR (lkey 0x1)", "MR (lkey 0x2)"}),
			"ibv_dealloc_pd: PD (handle 3) still has MR (lkey 0x1), MR (lkey 0x2) open; close what is open first: " +
				"device or resource busy (EBUSY)", ""},
		{"busy with many", Busy("v", "PD", strings.Split("a b c d e f g h i j", " ")),
			"v: PD still has a, b, c, d, e, f, g, h and 2 more open; close what is open first: device or resource busy (EBUSY)", ""},
		{"busy with nothing named", Busy("v", "PD", nil), "v: PD is in use: device or resource busy (EBUSY)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for format, want := range map[string]string{
				"%v": tt.short, "%s": tt.short, "%+v": tt.short + tt.more, "%q": fmt.Sprintf("%q", tt.short),
				"%d": "%!d(*verr.Error=" + tt.short + ")",
			} {
				if got := fmt.Sprintf(format, tt.err); got != want {
					t.Errorf("%s:\n got %s\nwant %s", format, got, want)
				}
			}
		})
	}
}

func TestIs(t *testing.T) {
	cause := errors.New("cause")
	tests := []struct {
		name  string
		err   error
		is    []error
		isNot []error
	}{
		{"refused", Violations{{}}.Err("v"), []error{syscall.EINVAL}, []error{errors.ErrUnsupported, syscall.ENOMEM, os.ErrClosed}},
		{"enosys", Failed("v", syscall.ENOSYS, nil), []error{syscall.ENOSYS, errors.ErrUnsupported}, []error{syscall.EINVAL}},
		{"eopnotsupp", Failed("v", syscall.EOPNOTSUPP, nil), []error{syscall.EOPNOTSUPP, errors.ErrUnsupported}, nil},
		{"eprotonosupport", Failed("v", syscall.EPROTONOSUPPORT, nil), []error{syscall.EPROTONOSUPPORT, errors.ErrUnsupported}, nil},
		{"einval", Failed("v", syscall.EINVAL, nil), []error{syscall.EINVAL}, []error{errors.ErrUnsupported}},
		{"no errno", Failed("v", 0, nil), nil, []error{errors.ErrUnsupported, syscall.Errno(0)}},
		{"missing", Missing("v", "s", "", ""), []error{errors.ErrUnsupported}, []error{os.ErrClosed}},
		{"closed", Closed("v", "PD"), []error{os.ErrClosed}, []error{errors.ErrUnsupported}},
		{"busy", Busy("v", "PD", nil), []error{syscall.EBUSY}, []error{os.ErrClosed, errors.ErrUnsupported}},
		{"cause", &verr.Error{Errno: syscall.EIO, Err: cause}, []error{syscall.EIO, cause}, []error{syscall.EINVAL}},
		{"wrapped", fmt.Errorf("open: %w", Failed("v", syscall.ENOSYS, nil)), []error{errors.ErrUnsupported}, nil},
	}
	for _, tt := range tests {
		for _, target := range tt.is {
			if !errors.Is(tt.err, target) {
				t.Errorf("%s: errors.Is(%v, %v) is false", tt.name, tt.err, target)
			}
		}
		for _, target := range tt.isNot {
			if errors.Is(tt.err, target) {
				t.Errorf("%s: errors.Is(%v, %v) is true", tt.name, tt.err, target)
			}
		}
		if e := (*verr.Error)(nil); !errors.As(tt.err, &e) {
			t.Errorf("%s: no *Error in it", tt.name)
		}
	}
}
