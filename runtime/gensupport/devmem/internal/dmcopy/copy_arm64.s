#include "textflag.h"

// What copy_amd64.s says of checks, and of copies that go on in Go, holds here too.

// WITHIN jumps to slow unless s (R0) is an open span, not a copy of one, and has the R3 bytes at R4, as many as one piece has: R5 more
// than a granule. It leaves the address in R4.
#define WITHIN(slow) \
	CBZ  R0, slow; \
	MOVD 16(R0), R6; \
	CMP  R0, R6; \
	BNE  slow; \
	TBNZ $63, R4, slow; \
	ORR  R3, R4, R6; \
	TST  $3, R6; \
	BNE  slow; \
	MOVD (R0), R7; \
	ADD  R3, R4, R6; \
	CMP  R7, R6; \
	BHI  slow; \
	SUB  $4, R3, R6; \
	CMP  R5, R6; \
	BHI  slow; \
	MOVD 8(R0), R7; \
	ADD  R7, R4

// HAS is WITHIN for N bytes.
#define HAS(N, slow) \
	CBZ  R0, slow; \
	MOVD 16(R0), R6; \
	CMP  R0, R6; \
	BNE  slow; \
	TBNZ $63, R4, slow; \
	TST  $3, R4; \
	BNE  slow; \
	MOVD (R0), R7; \
	ADD  $N, R4, R6; \
	CMP  R7, R6; \
	BHI  slow; \
	MOVD 8(R0), R7; \
	ADD  R7, R4

// COPIED writes the results of a copy of R3 bytes.
#define COPIED \
	MOVD R3, n+40(FP); \
	MOVD ZR, err_itable+48(FP); \
	MOVD ZR, err_data+56(FP)

// NARROW copies R3 bytes, 16 and 4 at a time, each granule by an access of its own: the mapping is only ever accessed by MOVWU and MOVW,
// never by a pair, which may become one access. FROM and TO are R2 and R4, whichever is the mapping.
#define NARROW(FROM, TO) \
	CMP  $16, R3; \
	BLO  tail; \
quarter: \
	MOVWU (FROM), R8; \
	MOVWU 4(FROM), R9; \
	MOVWU 8(FROM), R10; \
	MOVWU 12(FROM), R11; \
	MOVW  R8, (TO); \
	MOVW  R9, 4(TO); \
	MOVW  R10, 8(TO); \
	MOVW  R11, 12(TO); \
	ADD   $16, FROM; \
	ADD   $16, TO; \
	SUB   $16, R3; \
	CMP   $16, R3; \
	BHS   quarter; \
tail: \
	CBZ   R3, done; \
	MOVWU (FROM), R8; \
	MOVW  R8, (TO); \
	ADD   $4, FROM; \
	ADD   $4, TO; \
	SUB   $4, R3; \
	B     tail; \
done: \
	RET

// WIDELY copies R3 bytes in ascending order, each byte once, with the widest accesses that fit.
#define WIDELY(FROM, TO) \
	CMP  $64, R3; \
	BLO  quarters; \
line: \
	LDP  (FROM), (R8, R9); \
	LDP  16(FROM), (R10, R11); \
	LDP  32(FROM), (R12, R13); \
	LDP  48(FROM), (R14, R15); \
	STP  (R8, R9), (TO); \
	STP  (R10, R11), 16(TO); \
	STP  (R12, R13), 32(TO); \
	STP  (R14, R15), 48(TO); \
	ADD  $64, FROM; \
	ADD  $64, TO; \
	SUB  $64, R3; \
	CMP  $64, R3; \
	BHS  line; \
quarters: \
	CMP  $16, R3; \
	BLO  rest; \
quarter: \
	LDP  (FROM), (R8, R9); \
	STP  (R8, R9), (TO); \
	ADD  $16, FROM; \
	ADD  $16, TO; \
	SUB  $16, R3; \
	CMP  $16, R3; \
	BHS  quarter; \
rest: \
	TBZ  $3, R3, last; \
	MOVD (FROM), R8; \
	MOVD R8, (TO); \
	ADD  $8, FROM; \
	ADD  $8, TO; \
last: \
	TBZ   $2, R3, done; \
	MOVWU (FROM), R8; \
	MOVW  R8, (TO); \
done: \
	RET

// func WriteAt(s *Span, p []byte, off int64) (n int, err error)
TEXT ·WriteAt(SB), NOSPLIT, $0-64
	MOVD s+0(FP), R0
	MOVD p_base+8(FP), R2
	MOVD p_len+16(FP), R3
	MOVD off+32(FP), R4
	MOVD $(4096-4), R5
	WITHIN(slow)
	COPIED
	NARROW(R2, R4)

slow:
	B ·writeSlow(SB)

// func ReadAt(s *Span, p []byte, off int64) (n int, err error)
TEXT ·ReadAt(SB), NOSPLIT, $0-64
	MOVD s+0(FP), R0
	CBZ  R0, slow
	MOVD p_base+8(FP), R2
	MOVD p_len+16(FP), R3
	MOVD off+32(FP), R4
	MOVD 24(R0), R5
	WITHIN(slow)
	COPIED
	NARROW(R4, R2)

slow:
	B ·readSlow(SB)

// func WriteWide(s *Span, p []byte, off int64) (n int, err error)
TEXT ·WriteWide(SB), NOSPLIT, $0-64
	MOVD s+0(FP), R0
	MOVD p_base+8(FP), R2
	MOVD p_len+16(FP), R3
	MOVD off+32(FP), R4
	MOVD $(4096-4), R5
	WITHIN(slow)
	COPIED
	WIDELY(R2, R4)

slow:
	B ·writeWideSlow(SB)

// func ReadWide(s *Span, p []byte, off int64) (n int, err error)
TEXT ·ReadWide(SB), NOSPLIT, $0-64
	MOVD s+0(FP), R0
	CBZ  R0, slow
	MOVD p_base+8(FP), R2
	MOVD p_len+16(FP), R3
	MOVD off+32(FP), R4
	MOVD 24(R0), R5
	WITHIN(slow)
	COPIED
	WIDELY(R4, R2)

slow:
	B ·readWideSlow(SB)

// func Put32(s *Span, off int64, v uint32) (err error)
TEXT ·Put32(SB), NOSPLIT, $0-40
	MOVD  s+0(FP), R0
	MOVD  off+8(FP), R4
	MOVWU v+16(FP), R8
	HAS(4, slow)
	MOVW  R8, (R4)
	MOVD  ZR, err_itable+24(FP)
	MOVD  ZR, err_data+32(FP)
	RET

slow:
	B ·put32Slow(SB)

// func Put64(s *Span, off int64, v uint64) (err error)
TEXT ·Put64(SB), NOSPLIT, $0-40
	MOVD s+0(FP), R0
	MOVD off+8(FP), R4
	MOVD v+16(FP), R8
	HAS(8, slow)
	MOVW R8, (R4)
	LSR  $32, R8
	MOVW R8, 4(R4)
	MOVD ZR, err_itable+24(FP)
	MOVD ZR, err_data+32(FP)
	RET

slow:
	B ·put64Slow(SB)

// func Get32(s *Span, off int64) (v uint32, err error)
TEXT ·Get32(SB), NOSPLIT, $0-40
	MOVD  s+0(FP), R0
	MOVD  off+8(FP), R4
	HAS(4, slow)
	MOVWU (R4), R8
	MOVW  R8, v+16(FP)
	MOVD  ZR, err_itable+24(FP)
	MOVD  ZR, err_data+32(FP)
	RET

slow:
	B ·get32Slow(SB)

// func Get64(s *Span, off int64) (v uint64, err error)
TEXT ·Get64(SB), NOSPLIT, $0-40
	MOVD  s+0(FP), R0
	MOVD  off+8(FP), R4
	HAS(8, slow)
	MOVWU (R4), R8
	MOVWU 4(R4), R9
	ORR   R9<<32, R8
	MOVD  R8, v+16(FP)
	MOVD  ZR, err_itable+24(FP)
	MOVD  ZR, err_data+32(FP)
	RET

slow:
	B ·get64Slow(SB)

// func Flush()
TEXT ·Flush(SB), NOSPLIT, $0-0
	DSB $14 // DSB ST
	RET
