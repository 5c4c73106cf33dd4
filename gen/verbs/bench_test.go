package verbs

import (
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// BenchmarkValidators prints what the rules of a call cost that keeps them all.
func BenchmarkValidators(b *testing.B) {
	b.Run("RegMR", func(b *testing.B) {
		in := inRegMR{addr: 1 << 20, length: 1 << 16, access: uint64(MRAccessLocalWrite | MRAccessRemoteWrite)}
		b.ReportAllocs()
		for b.Loop() {
			if err := checkRegMR(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ModifyQP", func(b *testing.B) {
		in := inModifyQP{attrMask: 0x101181 | 0x100000, qpState: fail.Sure(1), qpType: fail.Sure(2), attrQPState: 2,
			attrPortNum: 1, attrAHAttrPortNum: 1, attrPathMTU: 3, attrRQPSN: 1, attrDestQPNum: 17, attrMaxDestRDAtomic: 1,
			attrMinRNRTimer: 12, attrAHAttrIsGlobal: 1}
		b.ReportAllocs()
		for b.Loop() {
			if err := checkModifyQP(&in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
