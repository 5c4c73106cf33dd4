package rdmacm

//go:generate go run ../../cmd/verbsgen generate --module rdmacm
