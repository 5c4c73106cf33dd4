//go:build linux && cgo

package conformance

import (
	"maps"
	"runtime"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestReplayProtectionOff shows that, as in the kernel, an action cannot be made with the protocol that turns replay protection
// off, but changed to it. No builder has this protocol, so the calls are made without the bindings.
func TestReplayProtectionOff(t *testing.T) {
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t).On(runtime.GOARCH))
	soft := softverbs.New(softverbs.Name("soft0"), softverbs.NetRaw())
	defer soft.Close() // it lists what the calls left open
	u := must(rulecall.Open(soft, "soft0", must(spec.Embedded(""))(t), facts))(t)
	defer u.Close()
	const keymat = "struct ib_uverbs_flow_action_esp_keymat_aes_gcm"
	keys := must(u.Record(keymat, map[string]any{"key_len": 16, "icv_len": 16}))(t)
	call := func(verb string, want syscall.Errno, args map[string]any) uintptr {
		t.Helper()
		made, errno, err := u.Call(verb, args)
		if err != nil || errno != want {
			t.Errorf("%s: errno %d, %v, want %d", verb, errno, err, want)
		}
		return made
	}
	full := map[string]any{"flags": "IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD"}
	esp := map[string]any{"esp_attr": full, "keymat_ptr": uint64(keys), "keymat_len": int(facts.Record(keymat).Size)}
	off := map[string]any{"replay_proto": "IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE", "replay_ptr": uint64(keys)}
	without := maps.Clone(esp)
	maps.Copy(without, off)
	call("ibv_create_flow_action_esp", syscall.EINVAL, map[string]any{"esp": without})
	action := uint64(call("ibv_create_flow_action_esp", 0, map[string]any{"esp": esp}))
	call("ibv_modify_flow_action_esp", 0, map[string]any{"action": action, "esp": off})
	call("ibv_destroy_flow_action", 0, map[string]any{"action": action})
}
