module github.com/verbsgen/verbsgen/conformance

go 1.26.0

require (
	github.com/alecthomas/chroma/v2 v2.27.0
	github.com/google/renameio/v2 v2.0.2
	github.com/jstemmer/go-junit-report/v2 v2.1.0
	github.com/mdlayher/netlink v1.11.2
	github.com/verbsgen/verbsgen v0.1.0
	github.com/verbsgen/verbsgen/cmd/verbsgen v0.1.0
	github.com/verbsgen/verbsgen/conformance/card v0.1.0
	github.com/verbsgen/verbsgen/spec v0.1.0
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/mod v0.42.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/dlclark/regexp2/v2 v2.2.1 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/mdlayher/socket v0.6.0 // indirect
	golang.org/x/net v0.61.0 // indirect
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/aymanbagabas/go-udiff v0.4.1 // indirect
	github.com/yuin/goldmark v1.8.7
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2 // indirect
)

tool honnef.co/go/tools/cmd/staticcheck
