//go:build linux && cgo

package careless

import (
	"errors"
	"fmt"
	"math"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// ends are ranges of which a batch of 16 has no part, or not all, and ones that no batch has.
var ends = []struct{ first, n int }{{-5, 3}, {-5, 10}, {-1, 1}, {math.MinInt, 4}, {math.MinInt, math.MinInt}, {math.MaxInt, 4},
	{4, math.MaxInt}, {4, -1}, {17, 0}, {16, 1}, {15, math.MinInt}}

// rangeProblem posts each range of ends and returns what was wrong with an answer, or the errors.
func rangeProblem(post func(first, n int) (posted int, err error)) error {
	var all error
	for _, r := range ends {
		posted, err := post(r.first, r.n)
		if posted != 0 || err == nil {
			return fmt.Errorf("%d requests from number %d on: %d posted, %v", r.n, r.first, posted, err)
		}
		all = errors.Join(all, err)
	}
	return all
}

// endsMistakes post ranges that their batch does not have, to each kind of queue, open and closed.
func endsMistakes() []mistake {
	says := []string{"3 requests from number -5 on: the (Send|Recv|Ops)Batch has only 16", `4 requests from number -9223372036854775808 on`,
		"4 requests from number 9223372036854775807 on", "9223372036854775807 requests from number 4 on", "-1 requests from number 4 on",
		"0 requests from number 17 on"}
	recvs := func() *verbs.RecvBatch {
		b, err := verbs.NewRecvBatch(16, 1)
		if err != nil {
			panic(err)
		}
		return b
	}
	return []mistake{
		{name: "sends that the batch does not have", says: says, make: func(w *world) error {
			b := w.sends(16)
			return rangeProblem(func(first, n int) (int, error) { return w.a.QP.PostSendRange(b.From(first, n)) })
		}},
		{name: "receives that the batch does not have", says: says, make: func(w *world) error {
			b := recvs()
			return rangeProblem(func(first, n int) (int, error) { return w.a.QP.PostRecvRange(b.From(first, n)) })
		}},
		{name: "shared receives that the batch does not have", says: says, make: func(w *world) error {
			b := recvs()
			return rangeProblem(func(first, n int) (int, error) { return w.srq.PostRecvRange(b.From(first, n)) })
		}},
		{name: "receives of a work queue that the batch does not have", says: says, make: func(w *world) error {
			wq, err := queueOf(w.dev)
			if err != nil {
				return nil
			}
			b := recvs()
			return rangeProblem(func(first, n int) (int, error) { return wq.PostRecvRange(b.From(first, n)) })
		}},
		{name: "operations that the batch does not have", says: says, make: func(w *world) error {
			b, err := verbs.NewOpsBatch(16, 1)
			if err != nil {
				return nil
			}
			return rangeProblem(func(first, n int) (int, error) { return w.srq.PostOpsRange(b.From(first, n)) })
		}},
		{name: "sends that the batch does not have, to a closed queue pair", says: []string{"QP is closed"}, make: func(w *world) error {
			b := w.sends(16)
			if w.a.QP.Close() != nil {
				return nil
			}
			return rangeProblem(func(first, n int) (int, error) { return w.a.QP.PostSendRange(b.From(first, n)) })
		}},
		{name: "a rest that the batch does not have", says: []string{"6 requests from number -2 on"}, make: func(w *world) error {
			_, err := w.a.QP.PostSendRange(w.sends(16).From(0, 4).Rest(-2))
			return err
		}},
	}
}
