// Package events acknowledges some events, and others not.
package events

import (
	"context"
	"errors"

	v "github.com/verbsgen/verbsgen/gen/verbs"
)

func blank(ctx context.Context, ch *v.CompChannel) error {
	_, err := ch.Next(ctx) // want event
	if err != nil {
		return err
	}
	if _, err = ch.Next(ctx); err != nil { // want event
		return err
	}
	for {
		_, err := ch.Next(ctx) // want event
		if err != nil {
			return err
		}
	}
}

// refused wants the error.
func refused(ctx context.Context, ch *v.CompChannel) bool {
	_, err := ch.Next(ctx)
	if !errors.Is(err, context.Canceled) {
		return false
	}
	_, err = ch.Next(ctx)
	if _, other := ch.Next(ctx); other == nil {
		return false
	}
	return err != nil
}

func silenced(ctx context.Context, ch *v.CompChannel) error {
	ev, err := ch.Next(ctx) // want event
	_ = ev
	return err
}

func queue(ctx context.Context, ch *v.CompChannel) (*v.CQ, error) {
	ev, err := ch.Next(ctx) // want event
	if err != nil {
		return nil, err
	}
	return ev.CQ, nil
}

func done(ctx context.Context, ch *v.CompChannel) (*v.CQ, error) {
	ev, err := ch.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer ev.Done()
	return ev.CQ, nil
}
