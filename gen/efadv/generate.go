package efadv

//go:generate go run ../../cmd/verbsgen generate --module efadv
