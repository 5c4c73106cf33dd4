module github.com/verbsgen/verbsgen/spec

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/google/jsonschema-go v0.4.2
	go.yaml.in/yaml/v3 v3.0.6
)
