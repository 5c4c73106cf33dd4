package cmem

import (
	"errors"
	"syscall"
	"testing"
	"time"
)

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err error, text string) {
	t.Helper()
	if !errors.Is(err, syscall.EINVAL) || err.Error() != text {
		t.Errorf("error:\n got %v\nwant %s", err, text)
	}
}

func TestMTU(t *testing.T) {
	for code, want := range map[uint32]int{0: 0, 1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096, 6: 0, 1 << 31: 0} {
		if got := MTUBytes(code); got != want {
			t.Errorf("code %d has %d bytes, want %d", code, got, want)
		}
	}
	for bytes, want := range map[int]uint32{256: 1, 511: 1, 512: 2, 1500: 3, 4095: 4, 4096: 5, 9000: 5} {
		if got, err := MTUOf(bytes); got != want || err != nil {
			t.Errorf("%d bytes have code %d, want %d: %v", bytes, got, want, err)
		}
	}
	for _, bytes := range []int{255, 0, -1} {
		if code, err := MTUOf(bytes); code != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%d bytes: %d, %v", bytes, code, err)
		}
	}
	_, err := MTUOf(255)
	wantErr(t, err, "an MTU of 255 bytes: the smallest has 256, the largest 4096")
}

func TestTimeout(t *testing.T) {
	for code, want := range map[uint8]time.Duration{0: 0, 1: 8192, 14: 67108864, 31: 8796093022208, 32: 0, 255: 0} {
		if got := Timeout(code); got != want {
			t.Errorf("code %d is %v, want %v", code, got, want)
		}
	}
	for code, want := range map[uint8]time.Duration{0: 4096, 18: 1073741824, 31: 8796093022208, 32: 0} {
		if got := Delay(code); got != want {
			t.Errorf("code %d is a delay of %v, want %v", code, got, want)
		}
	}
	for d, want := range map[time.Duration]uint8{0: 0, 1: 1, 8192: 1, 8193: 2, 67 * time.Millisecond: 14, time.Second: 18, 8796093022208: 31} {
		if got, err := TimeoutOf(d); got != want || err != nil {
			t.Errorf("%v has code %d, want %d: %v", d, got, want, err)
		}
	}
	for _, d := range []time.Duration{-1, 8796093022209, 1<<63 - 1, -1 << 63} {
		if code, err := TimeoutOf(d); code != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v: %d, %v", d, code, err)
		}
	}
	_, err := TimeoutOf(3 * time.Hour)
	wantErr(t, err, "a timeout of 3h0m0s: it is 0 to 2h26m36.093022208s")
}

// TestRNRTimer compares with some entries of the specification's table, in milliseconds, and asks that the times go up with
// the codes.
func TestRNRTimer(t *testing.T) {
	const ms = time.Millisecond
	for code, want := range map[uint8]time.Duration{0: 655360 * ms / 1000, 1: ms / 100, 12: 64 * ms / 100, 16: 256 * ms / 100,
		25: 6144 * ms / 100,
		31: 49152 * ms / 100, 32: 0} {
		if got := RNRTimer(code); got != want {
			t.Errorf("code %d is %v, want %v", code, got, want)
		}
	}
	for code := uint8(1); code < 32; code++ {
		next := RNRTimer((code + 1) % 32)
		if now := RNRTimer(code); now >= next || next > 2*now {
			t.Errorf("code %d is %v, and the next %v", code, now, next)
		}
		for _, d := range []time.Duration{RNRTimer(code), RNRTimer(code) - 1} {
			if got, err := RNRTimerOf(d); got != code || err != nil {
				t.Errorf("%v has code %d, want %d: %v", d, got, code, err)
			}
		}
	}
	for d, want := range map[time.Duration]uint8{0: 1, 491521 * time.Microsecond: 0, 655360 * time.Microsecond: 0} {
		if got, err := RNRTimerOf(d); got != want || err != nil {
			t.Errorf("%v has code %d, want %d: %v", d, got, want, err)
		}
	}
	for _, d := range []time.Duration{-1, 655360*time.Microsecond + 1} {
		if code, err := RNRTimerOf(d); code != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%v: %d, %v", d, code, err)
		}
	}
	_, err := RNRTimerOf(time.Second)
	wantErr(t, err, "an RNR timer of 1s: it is 0 to 655.36ms")
}

func TestParseIPv6(t *testing.T) {
	local := [16]byte{0xfe, 0x80, 8: 2, 0xc9, 3, 0, 0xab, 0xcd, 0xef, 1}
	for s, want := range map[string][16]byte{
		"fe80::2c9:300:abcd:ef01":                 local,
		"fe80:0000:0000:0000:02c9:0300:abcd:ef01": local,
		"FE80::2C9:300:ABCD:EF01":                 local,
		"::":                                      {},
		"192.0.2.1":                               {10: 0xff, 0xff, 192, 0, 2, 1},
		"::ffff:192.0.2.1":                        {10: 0xff, 0xff, 192, 0, 2, 1},
		"0000:0000:0000:0000:0000:ffff:c000:0201": {10: 0xff, 0xff, 192, 0, 2, 1},
	} {
		got, err := ParseIPv6("GID", s)
		if got != want || err != nil {
			t.Errorf("%s is %x, want %x: %v", s, got, want, err)
		}
		if again, err := ParseIPv6("GID", IPv6(got)); again != got || err != nil {
			t.Errorf("%s, printed and read again, is %x: %v", s, again, err)
		}
	}
	for _, s := range []string{"", "fe80", "fe80::1%", "fe80::1/64", " fe80::1", "fe80::12345", "192.0.2", "1:2:3:4:5:6:7:8:9", "[fe80::1]"} {
		if g, err := ParseIPv6("GID", s); g != [16]byte{} || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %x, %v", s, g, err)
		}
	}
	_, err := ParseIPv6("GID", "x")
	wantErr(t, err, `the GID "x" is no IPv6 or IPv4 address`)
	_, err = ParseIPv6("GID", "fe80::1%eth0")
	wantErr(t, err, `the GID "fe80::1%eth0" has a zone; leave %eth0 out`)
}
