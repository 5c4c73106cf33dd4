// Package wrong has a call that breaks a rule.
package wrong

import "github.com/verbsgen/verbsgen/gen/verbs"

// Register registers memory that a peer may write and the device may not.
func Register(pd *verbs.PD, b []byte) (*verbs.MR, error) {
	return pd.RegMR(b, verbs.MRAccessRemoteWrite)
}
