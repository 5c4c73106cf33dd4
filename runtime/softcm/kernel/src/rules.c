// Calls that fail and messages that get lost on order.
#include "machine.h"

int scm_rule_add(struct scm_rule **rules, uint64_t nth, int err)
{
	struct scm_rule *r = calloc(1, sizeof *r);

	if (!r)
		return ENOMEM;
	*r = (struct scm_rule){*rules, nth, err};
	*rules = r;
	return 0;
}

// A rule for one call is gone when it struck; all rules count.
int scm_rule_strikes(struct scm_rule **rules)
{
	struct scm_rule *r;
	int err = 0;

	while ((r = *rules)) {
		if (r->left == 1) {
			err = r->err;
			*rules = r->next;
			free(r);
			continue;
		}
		if (r->left == 0)
			err = r->err;
		else
			r->left--;
		rules = &r->next;
	}
	return err;
}

void scm_rules_free(struct scm_rule **rules)
{
	struct scm_rule *r;

	while ((r = *rules)) {
		*rules = r->next;
		free(r);
	}
}
