package main

import "slices"

// samples keeps the last samples of a peer.
type samples struct {
	keep int // how many at the most
	last []sample
	next int // where the next one goes when there are that many
}

func (s *samples) add(x sample) {
	if len(s.last) < s.keep {
		s.last = append(s.last, x)
		return
	}
	s.last[s.next] = x
	s.next = (s.next + 1) % s.keep
}

func (s *samples) reset() { s.last, s.next = s.last[:0], 0 }

// percentiles are in nanoseconds. The p-th is the smallest sample that at least p % of the samples do not exceed.
type percentiles struct {
	P50 int64 `json:"p50"`
	P90 int64 `json:"p90"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// percentiles returns nil if there are no samples.
func (s *samples) percentiles(of func(*sample) int64) *percentiles {
	n := len(s.last)
	if n == 0 {
		return nil
	}
	sorted := make([]int64, n)
	for i := range s.last {
		sorted[i] = of(&s.last[i])
	}
	slices.Sort(sorted)
	rank := func(percent int) int64 { return sorted[(n*percent+99)/100-1] }
	return &percentiles{rank(50), rank(90), rank(99), sorted[n-1]}
}
