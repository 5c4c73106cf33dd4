//go:build !linux

package main

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/mem"
)

type exported struct {
	kind  string
	bytes []byte
}

func (*exported) part() mem.DMABuf { return mem.DMABuf{} }

func (*exported) Close() error { return nil }

func memfd(int) (*exported, error) { return nil, errors.ErrUnsupported }

func udmabuf(int) (*exported, error) { return nil, errors.ErrUnsupported }
