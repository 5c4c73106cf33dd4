package mlx5dv

import "github.com/verbsgen/verbsgen/runtime/gensupport/object"

// TSToNS converts a time stamp of the device to nanoseconds. The time stamp may be older than the ClockInfo. One that is further away
// than half of the range of the device's clock is taken for one in the other direction: query the clock again before
// MaxClockInfoUpdateNS has passed.
//
// C: mlx5dv_ts_to_ns, mlx5dv_ts_to_ns(3).
func (c *ClockInfo) TSToNS(timestamp uint64) uint64 {
	c = object.OrZero(c)
	after := (timestamp - c.LastCycles) & c.Mask
	if after <= c.Mask/2 {
		return c.NS + (after*uint64(c.Mult)+c.Frac)>>c.Shift
	}
	before := (c.LastCycles - timestamp) & c.Mask
	return c.NS - (before*uint64(c.Mult)-c.Frac)>>c.Shift
}
