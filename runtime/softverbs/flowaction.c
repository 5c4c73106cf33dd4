//go:build linux && cgo

// Actions of flows on packets of ESP. They are taken apart and kept; no packet comes by here.

#include "entry.h"
#include "steer.h"

#define FLAGS (IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_TRANSPORT | \
		IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ENCRYPT | IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW)

static const struct svb_kind kind = {SVB_KIND(SVB_T_FLOW_ACTION, svb_flow_action), .noun = "flow action", .numbered = true};

static int check_keys(uint32_t proto, uint16_t len, const struct ib_uverbs_flow_action_esp_keymat_aes_gcm *k)
{
	if (proto != IB_UVERBS_FLOW_ACTION_ESP_KEYMAT_AES_GCM || len != sizeof *k)
		return EOPNOTSUPP;
	if (k->key_len != 16 && k->key_len != 24 && k->key_len != 32)
		return EINVAL;
	return k->iv_algo == IB_UVERBS_FLOW_ACTION_IV_ALGO_SEQ ? 0 : EINVAL;
}

// check_replay takes no protection only in place of one: an action without it is made without replay_ptr.
static int check_replay(uint32_t proto, uint16_t len, bool change)
{
	if (proto == IB_UVERBS_FLOW_ACTION_ESP_REPLAY_NONE)
		return change ? 0 : EINVAL;
	if (proto != IB_UVERBS_FLOW_ACTION_ESP_REPLAY_BMP)
		return EOPNOTSUPP;
	return len == sizeof(struct ib_uverbs_flow_action_esp_replay_bmp) ? 0 : EINVAL;
}

// check_header takes what the kernel takes: a tunnel has one header, of IPv4 or IPv6.
static int check_header(const struct ib_uverbs_flow_action_esp_encap *e)
{
	size_t size;

	if (e->next_ptr)
		return EOPNOTSUPP;
	switch (e->type) {
	case IBV_FLOW_SPEC_IPV4: size = sizeof(struct ibv_flow_ipv4_filter); break;
	case IBV_FLOW_SPEC_IPV6: size = sizeof(struct ibv_flow_ipv6_filter); break;
	default: return EOPNOTSUPP;
	}
	return e->val_ptr && e->len == size ? 0 : EINVAL;
}

// take looks at what is given; all of it is optional for a change.
static int take(struct svb_flow_action *f, const struct ibv_flow_action_esp_attr *a, bool change)
{
	uint32_t flags = f->flags;
	int err = 0;

	if (a->comp_mask & ~(uint32_t)IBV_FLOW_ACTION_ESP_MASK_ESN)
		return EOPNOTSUPP;
	if (a->esn && !(a->comp_mask & IBV_FLOW_ACTION_ESP_MASK_ESN))
		return EINVAL;
	if (a->esp_attr)
		flags = a->esp_attr->flags;
	if (flags & ~(uint32_t)FLAGS)
		return EOPNOTSUPP;
	if ((flags & IB_UVERBS_FLOW_ACTION_ESP_FLAGS_ESN_NEW_WINDOW) &&
	    ((flags & IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD) || !(a->comp_mask & IBV_FLOW_ACTION_ESP_MASK_ESN)))
		return EINVAL;
	if (a->esp_attr && !(flags & IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD) &&
	    (a->esp_attr->spi || a->esp_attr->seq || a->esp_attr->tfc_pad || a->esp_attr->hard_limit_pkts))
		return EINVAL;
	if (a->keymat_ptr)
		err = check_keys(a->keymat_proto, a->keymat_len, a->keymat_ptr);
	if (!err && a->replay_ptr)
		err = check_replay(a->replay_proto, a->replay_len, change);
	if (!err && a->esp_encap)
		err = check_header(a->esp_encap);
	if (!err && (a->esp_encap || a->replay_ptr) && !(flags & IB_UVERBS_FLOW_ACTION_ESP_FLAGS_FULL_OFFLOAD))
		err = EINVAL;
	if (!err)
		f->flags = flags;
	return err;
}

struct ibv_flow_action *svb_create_flow_action_esp(struct ibv_context *pub, struct ibv_flow_action_esp_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_CREATE_FLOW_ACTION_ESP, &err);
	struct svb_flow_action *f;

	if (!err && (!a->esp_attr || !a->keymat_ptr))
		err = EINVAL;
	f = svb_new_obj(&kind, c, &err);
	if (!err) {
		f->pub.context = pub;
		err = take(f, a, false);
	}
	return svb_made(f, err);
}

int svb_modify_flow_action_esp(struct ibv_flow_action *pub, struct ibv_flow_action_esp_attr *a)
{
	int err;
	struct svb_flow_action *f = svb_begin(pub, SVB_T_FLOW_ACTION, SVB_MODIFY_FLOW_ACTION_ESP, &err);

	if (!err)
		err = take(f, a, true);
	return svb_end(err);
}

SVB_DESTROYS(svb_destroy_flow_action, ibv_flow_action, SVB_T_FLOW_ACTION, SVB_DESTROY_FLOW_ACTION)
