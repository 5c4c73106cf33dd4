package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// said has words of statements about capabilities which do not name the field or the flag, and what they mean.
var said = map[string]string{
	"the number of ports":                         "phys_port_cnt",
	"the GID table":                               "gid_tbl_len",
	"the partition table":                         "pkey_tbl_len",
	"that of queue pairs":                         "max_qp_wr",
	"atomic operations":                           "IBV_ATOMIC_HCA",
	"flush to global visibility":                  "IB_UVERBS_DEVICE_FLUSH_GLOBAL",
	"flush to persistent memory":                  "IB_UVERBS_DEVICE_FLUSH_PERSISTENT",
	"on-demand paging":                            "IBV_ODP_SUPPORT",
	"on-demand regions":                           "IBV_ODP_SUPPORT",
	"implicit on-demand":                          "IBV_ODP_SUPPORT_IMPLICIT",
	"checksums on queue pairs of type UD":         "IBV_DEVICE_UD_IP_CSUM",
	"checksums on queue pairs of type RC":         "IBV_DEVICE_RC_IP_CSUM",
	"checksums on queue pairs of type RAW_PACKET": "IBV_DEVICE_RAW_IP_CSUM",
	"a device that matches tags":                  "IBV_TM_CAP_RC",
	"queue pairs of type RC":                      "packet_pacing_caps.supported_qpts 0x4",
	"paces queue pairs of type RAW_PACKET":        "packet_pacing_caps.supported_qpts 0x100",
	"of type UD in segments":                      "tso_caps.supported_qpts 0x10",
	"of type RAW_PACKET in segments":              "tso_caps.supported_qpts 0x100",
	"TSO on queue pairs of type UD":               "tso_caps.supported_qpts 0x10",
	"TSO on queue pairs of type RAW_PACKET":       "tso_caps.supported_qpts 0x100",
	"segment raw packets":                         "tso_caps.supported_qpts 0x100",
	"distributes raw packets":                     "rss_caps.supported_qpts 0x100",
}

// TestCapabilities compares the capability of each rule with its statement and fix, which say in words what it is.
func TestCapabilities(t *testing.T) {
	rel := must(api.Load(api.Newest()))(t)
	rules, used := 0, map[string]bool{}
	for _, module := range Modules() {
		s := must(Embedded(module))(t)
		f := s.Module.NewFacts(rel)
		for _, r := range s.Rules() {
			fn := f.Func(r.Verb)
			for n := range r.Violated().Nodes() {
				if len(n.Sub) == 0 || fn == nil {
					continue
				}
				for _, of := range n.Sub {
					if of.Of.Text != "" && (of.Of.As == AsCap || of.Of.As == AsPlace && f.IsCap(fn, of.Of.Text)) {
						rules++
						flags := n.Sub[len(n.Sub)-1].Of.Flags
						if text := r.Statement + "; " + r.Fix.String(); !says(text, of.Of.Text, flags, used) {
							t.Errorf("%s: nothing in %q says %s %v: name it", r.ID, text, of.Of.Text, flags)
						}
					}
				}
			}
			if len(r.CapHas) > 0 && len(r.If) > 0 && f.EnumOf(r.CapHas[0]) == f.EnumOf(r.If[0]) && !slices.Equal(r.CapHas, r.If) {
				t.Errorf("%s: %v needs %v", r.ID, r.If, r.CapHas)
			}
		}
	}
	if rules < 150 {
		t.Errorf("only %d rules about capabilities", rules)
	}
	for words := range said {
		if !used[words] {
			t.Errorf("no rule says %q", words)
		}
	}
}

// says reports whether a text names the field of a capability or, where the rule is about flags of it, all of these.
func says(text, path string, flags []string, used map[string]bool) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;", r) })
	names := func(what, sep string) bool {
		named := slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(what, sep+w) })
		for phrase, means := range said {
			if strings.Contains(text, phrase) && strings.HasSuffix(what, means) {
				named, used[phrase] = true, true
			}
		}
		return named
	}
	if len(flags) == 0 {
		return names(path, ".") || names(strings.TrimSuffix(path, "_ex"), ".")
	}
	return !slices.ContainsFunc(flags, func(flag string) bool {
		if isNumber(flag) {
			return !names(path+" "+flag, " ")
		}
		return !names(flag, "_")
	})
}
