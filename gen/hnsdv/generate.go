package hnsdv

//go:generate go run ../../cmd/verbsgen generate --module hnsdv
