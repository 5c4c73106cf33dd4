package verbs

//go:generate go run ../../cmd/verbsgen generate
