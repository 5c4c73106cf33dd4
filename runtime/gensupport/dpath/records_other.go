//go:build !linux

package dpath

import (
	"context"
	"errors"
	"syscall"
)

// Records would wait for records of a library; there are none here.
type Records[T any] struct{}

// NewRecords is errors.ErrUnsupported.
func NewRecords[T any](int, string, string, string, func() (*T, syscall.Errno, error)) (*Records[T], error) {
	return nil, errors.ErrUnsupported
}

// Next is errors.ErrUnsupported.
func (*Records[T]) Next(context.Context) (*T, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Records[T]) Close() error { return nil }
