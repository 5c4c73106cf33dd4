package main

import (
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// parts is in how many parts of a run the highest bandwidth is looked for.
const parts = 10

// bandwidth keeps the queue full: a loop of PostAndPoll. One request of cqMod has a completion, and the last.
func (x *side) bandwidth(size int, end time.Time) (*result, error) {
	flags, depth := x.prepare(size), x.sends.Len()
	var wcs [32]verbs.WC
	posted, completed, marked := 0, 0, 0
	begin := time.Now()
	part, peak := begin, 0.0
	for completed < x.iters {
		first := posted % depth
		n := min(x.list, depth-(posted-completed), x.iters-posted, depth-first)
		for i := first; i < first+n; i++ {
			f := flags
			if number := posted + i - first + 1; number%x.cqMod == 0 || number == x.iters {
				f |= verbs.SendSignaled
			}
			x.sends.WR(i).SetFlags(f)
		}
		tries := 1
		if n == 0 {
			tries = 1000
		}
		p, got, err := x.qp.PostAndPoll(x.sends.From(first, n), x.cq, wcs[:], tries)
		if err != nil {
			return nil, err
		}
		posted += p
		for i := range wcs[:got] {
			if err := wcs[i].Err(); err != nil {
				return nil, err
			}
			completed = min(completed-completed%x.cqMod+x.cqMod, x.iters)
		}
		if completed-marked >= max(x.iters/parts, 1) {
			now := time.Now()
			peak = max(peak, float64(completed-marked)/now.Sub(part).Seconds())
			part, marked = now, completed
		}
		if got == 0 && n == 0 {
			if err := x.late(end); err != nil {
				return nil, err
			}
		}
	}
	rate := float64(x.iters) / time.Since(begin).Seconds()
	const mib = 1 << 20
	return &result{Bytes: size, Iterations: x.iters, Peak: max(peak, rate) * float64(size) / mib, Average: rate * float64(size) / mib,
		Rate: rate / 1e6}, nil
}

// receiveAll is the server of send_bw: it takes what comes, and posts the receives again, many with one call.
func (x *side) receiveAll(end time.Time) error {
	var wcs [64]verbs.WC
	came, posted := 0, min(x.rxDepth, x.iters)
	for came < x.iters {
		n, err := x.poll(wcs[:], end)
		if err != nil {
			return err
		}
		came += n
		if more := min(n, x.iters-posted, x.recvs.Len()); more > 0 {
			if _, err := x.qp.PostRecv(x.recvs, more); err != nil {
				return err
			}
			posted += more
		}
	}
	return nil
}
