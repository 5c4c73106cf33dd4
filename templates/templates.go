// Package templates embeds the text that verbsgen emits: the C side of a generated package, the English of its doc comments, and
// the Go of the verbs that no form fits.
//
// It owns the hand-written C of the few verbs whose header body does more than call the provider, and the hashes of the
// bodies it was written for; and the hand-written Go in verbs/, whose files name the C functions that they were written for. It
// knows nothing of how the text is filled in.
package templates

import "embed"

// Verbs are the Go files of the verbs whose methods are written by hand, under verbs/. A generated package has copies of them.
//
//go:embed verbs/*.go
var Verbs embed.FS

// ShimsC is the C side: one function for each bound verb.
//
//go:embed shims.c.tmpl
var ShimsC string

// ShimsH declares those functions for cgo.
//
//go:embed shims.h.tmpl
var ShimsH string

// SpecialC defines the body of each verb that is written by hand, as a template of its name.
//
//go:embed special.c.tmpl
var SpecialC string

// LazyC is the C side of a reader.
//
//go:embed lazy.c.tmpl
var LazyC string

// StreamC is the body of the C function of a stream of commands.
//
//go:embed stream.c.tmpl
var StreamC string

// ViewC is the body of the C function that finds a view, and the function that calls those of the view.
//
//go:embed view.c.tmpl
var ViewC string

// Docs is the English of generated doc comments, as templates with names.
//
//go:embed docs.tmpl
var Docs string

// MatrixHTML is the page that shows reports of the conformance suite side by side: an html/template.
//
//go:embed matrix.html.tmpl
var MatrixHTML string

// Special describes a verb written by hand.
type Special struct {
	// Hashes of the header bodies that the text was written for, one for each form the known releases have.
	Hashes []string
	// Symbols are the exported functions that it calls, handed in as addresses before the verb's own parameters.
	Symbols []string
	// Op says that an op of the context may serve without any of Symbols.
	Op bool
	// Types are the C declarations that the text needs, beside those of the verb's parameters.
	Types []string
}

// Specials lists the verbs written by hand. A header body with another hash is an error of generate: compare the body
// with the text in special.c.tmpl, mend the text if the meaning changed, and add the hash.
var Specials = map[string]Special{
	"ibv_query_port": {Hashes: []string{"d7e0cd74cdf7a65f"}, Symbols: []string{"ibv_query_port"}, Op: true,
		Types: []string{"struct verbs_context"}},
	"ibv_query_device_ex": {Hashes: []string{"fa71496be7f98425", "a02dcafcf5a4e3c8"}, Symbols: []string{"ibv_query_device"},
		Op: true, Types: []string{"struct verbs_context", "struct ibv_query_device_ex_input"}},
	"ibv_close_xrcd": {Hashes: []string{"617c546d1f748edc"}, Op: true, Types: []string{"struct verbs_context", "struct ibv_xrcd"}},
	"ibv_create_wq": {Hashes: []string{"b7a90b9e43f51875", "3de874c687d999d8"}, Op: true,
		Types: []string{"struct verbs_context", "struct ibv_wq"}},
	"ibv_create_srq_ex": {Hashes: []string{"71a428e0061af6aa", "d96b4b7044c8145d"}, Symbols: []string{"ibv_create_srq"}, Op: true,
		Types: []string{"struct verbs_context", "struct ibv_srq_init_attr", "IBV_SRQ_INIT_ATTR_PD", "IBV_SRQ_INIT_ATTR_TYPE", "IBV_SRQT_BASIC"}},
	"ibv_destroy_flow": {Hashes: []string{"e4f3c168e3dfdf46", "73930ed35f61f635"}, Op: true,
		Types: []string{"struct verbs_context", "struct ibv_flow"}},
	"ibv_create_qp_ex": {Hashes: []string{"6c6a28559c0d2dc9"}, Symbols: []string{"ibv_create_qp"}, Op: true,
		Types: []string{"struct verbs_context", "struct ibv_qp_init_attr", "IBV_QP_INIT_ATTR_PD"}},
	"ibv_bind_mw": {Hashes: []string{"165fbc229bde8da8", "03f2c8f1045d52df"}, Op: true,
		Types: []string{"struct ibv_qp", "struct ibv_mw", "struct ibv_mw_bind", "struct ibv_mr", "struct ibv_context"}},
	"ibv_reg_mr": {Hashes: []string{"f1123303ee5d1f5e", "1b297894ad414573"},
		Symbols: []string{"ibv_reg_mr_iova2", "ibv_reg_mr"}, Types: []string{"IBV_ACCESS_OPTIONAL_RANGE"}},
	"ibv_reg_mr_iova": {Hashes: []string{"6c5267c42580e8d7", "9081d8f468c1561d"},
		Symbols: []string{"ibv_reg_mr_iova2", "ibv_reg_mr_iova"}, Types: []string{"IBV_ACCESS_OPTIONAL_RANGE"}},
	// Its text is in runtime/gensupport/dpath/ops.h.
	"ibv_post_srq_ops": {Hashes: []string{"fcd68fc909683a1a"}, Op: true},
	// Functions of numbers alone.
	"ibv_is_qpt_supported":        {Hashes: []string{"6bd74fab29ebb7a8"}},
	"ibv_flow_label_to_udp_sport": {Hashes: []string{"e3c829b2061ff96f"}},
	// The way from a context to the extended one around it, which shims.c.tmpl walks as vg_verbs.
	"verbs_get_ctx": {Hashes: []string{"cabe64b336791ec2", "5ec2bb082b74fd8e"}},
}
