package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// result is what was measured for one size: latencies in microseconds, or bandwidths in MiB/s and millions of messages a second.
type result struct {
	Bytes      int     `json:"bytes"`
	Iterations int     `json:"iterations"`
	Min        float64 `json:"t_min,omitempty"`
	Max        float64 `json:"t_max,omitempty"`
	Typical    float64 `json:"t_typical,omitempty"` // the median
	Avg        float64 `json:"t_avg,omitempty"`
	Stdev      float64 `json:"t_stdev,omitempty"`
	P99        float64 `json:"percentile_99,omitempty"`
	P999       float64 `json:"percentile_99_9,omitempty"`
	Peak       float64 `json:"bw_peak,omitempty"`
	Average    float64 `json:"bw_average,omitempty"`
	Rate       float64 `json:"msg_rate,omitempty"`
	all        []float64
}

// times are points in time between which a round lasts.
type times struct {
	begin time.Time
	marks []time.Duration
	per   float64 // messages of a round
}

func newTimes(rounds int, per float64) *times {
	return &times{time.Now(), make([]time.Duration, 0, rounds+1), per}
}

func (t *times) mark() { t.marks = append(t.marks, time.Since(t.begin)) }

// result sorts the times of the rounds.
func (t *times) result(size int) *result {
	n := len(t.marks) - 1
	all, sum := make([]float64, n), 0.0
	for i := range all {
		all[i] = float64(t.marks[i+1]-t.marks[i]) / 1e3 / t.per
		sum += all[i]
	}
	slices.Sort(all)
	r := &result{Bytes: size, Iterations: n, Min: all[0], Max: all[n-1], Typical: all[n/2], Avg: sum / float64(n), P99: rank(all, .99),
		P999: rank(all, .999), all: all}
	for _, v := range all {
		r.Stdev += (v - r.Avg) * (v - r.Avg) / float64(n)
	}
	r.Stdev = math.Sqrt(r.Stdev)
	return r
}

// rank returns the least of sorted values that a share of them does not exceed.
func rank(sorted []float64, share float64) float64 {
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

// print prints the results of the client.
func print(w io.Writer, s *settings, all []result) error {
	if s.host == "" {
		return nil
	}
	if s.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Test    string   `json:"test"`
			Device  string   `json:"device"`
			DM      bool     `json:"device_memory"`
			Results []result `json:"results"`
		}{s.test, s.device, s.useDM, all})
	}
	if s.latency() {
		fmt.Fprintln(w, " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "+
			"99% percentile[usec]   99.9% percentile[usec]")
	} else {
		fmt.Fprintln(w, " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]")
	}
	for _, r := range all {
		if !s.latency() {
			fmt.Fprintf(w, " %-10d %-14d %-19.2f %-22.2f %-.6f\n", r.Bytes, r.Iterations, r.Peak, r.Average, r.Rate)
			continue
		}
		fmt.Fprintf(w, " %-7d %-14d %-14.2f %-14.2f %-16.2f %-14.2f %-15.2f %-22.2f %-.2f\n", r.Bytes, r.Iterations, r.Min, r.Max, r.Typical,
			r.Avg, r.Stdev, r.P99, r.P999)
		if s.histogram {
			r.histogram(w)
		}
	}
	return nil
}

// histogram prints how many rounds took how long, in steps of a quarter of the time.
func (r *result) histogram(w io.Writer) {
	const step, width = 1.25, 50
	for i, from := 0, r.Min; i < len(r.all); from *= step {
		n := 0
		for i+n < len(r.all) && r.all[i+n] < from*step {
			n++
		}
		if i += n; n > 0 {
			fmt.Fprintf(w, "%12.2f us %8d %s\n", from, n, strings.Repeat("#", max(n*width/len(r.all), 1)))
		}
		if from <= 0 {
			return // a clock that did not move
		}
	}
}
