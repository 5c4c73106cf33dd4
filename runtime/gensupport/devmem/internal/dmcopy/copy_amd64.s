#include "textflag.h"

// Each function checks the range against the length in the span right before it uses the base: assembly is not preempted
// (the runtime stops a goroutine only where it knows what registers hold), so a stop of the world after the length has become 0 finds
// nobody between the check and the last access. A copy that is not short and direct goes on in Go, with the same arguments.
//
// Results are written before the copy, and what most copies do comes without a branch that is taken: of the time of a copy of up to 64
// bytes, more than half is the call.

// WITHIN jumps to slow unless s (R8) is an open span, not a copy of one, and has the LEN bytes at OFF, as many as one piece has. It
// changes AX, BX and R11.
#define WITHIN(OFF, LEN, MORE, slow) \
	TESTQ R8, R8; \
	JEQ   slow; \
	CMPQ  16(R8), R8; \
	JNE   slow; \
	MOVQ  OFF, AX; \
	ORQ   LEN, AX; \
	MOVQ  $0x8000000000000003, BX; \
	TESTQ BX, AX; \
	JNE   slow; \
	LEAQ  (OFF)(LEN*1), R11; \
	CMPQ  R11, (R8); \
	JHI   slow; \
	LEAQ  -4(LEN), AX; \
	CMPQ  AX, MORE; \
	JHI   slow

// HAS is WITHIN for N bytes.
#define HAS(OFF, N, slow) \
	TESTQ R8, R8; \
	JEQ   slow; \
	CMPQ  16(R8), R8; \
	JNE   slow; \
	MOVQ  $0x8000000000000003, BX; \
	TESTQ BX, OFF; \
	JNE   slow; \
	LEAQ  N(OFF), R11; \
	CMPQ  R11, (R8); \
	JHI   slow

// WRITE writes 16 bytes of the host, by four stores in ascending order. The host is read eight bytes at a time.
#define WRITE(a, b, c, d) \
	MOVQ a(SI), AX; \
	MOVQ c(SI), BX; \
	MOVL AX, a(DI); \
	SHRQ $32, AX; \
	MOVL AX, b(DI); \
	MOVL BX, c(DI); \
	SHRQ $32, BX; \
	MOVL BX, d(DI)

#define WRITE64 \
	WRITE(0, 4, 8, 12); \
	WRITE(16, 20, 24, 28); \
	WRITE(32, 36, 40, 44); \
	WRITE(48, 52, 56, 60)

// READ reads 16 bytes of the mapping, by four loads in ascending order, and writes them to the host at once.
#define READ(a, b, c, d) \
	MOVL       a(SI), X0; \
	MOVL       b(SI), X1; \
	MOVL       c(SI), X2; \
	MOVL       d(SI), X3; \
	PUNPCKLLQ  X1, X0; \
	PUNPCKLLQ  X3, X2; \
	PUNPCKLQDQ X2, X0; \
	MOVOU      X0, a(DI)

#define READ64 \
	READ(0, 4, 8, 12); \
	READ(16, 20, 24, 28); \
	READ(32, 36, 40, 44); \
	READ(48, 52, 56, 60)

// WIDE64 copies 64 bytes with accesses of 16.
#define WIDE64 \
	MOVOU (SI), X0; \
	MOVOU 16(SI), X1; \
	MOVOU 32(SI), X2; \
	MOVOU 48(SI), X3; \
	MOVOU X0, (DI); \
	MOVOU X1, 16(DI); \
	MOVOU X2, 32(DI); \
	MOVOU X3, 48(DI)

// COPIED writes the results of a copy of R9 bytes. One store writes n and the first word of err: of 64 bytes the copy
// takes 4 % less.
#define COPIED \
	MOVQ  R9, X0; \
	MOVOU X0, n+40(FP); \
	MOVQ  $0, err_data+56(FP)

// NARROW copies R9 bytes from SI to DI, 64 and 16 at a time by what it is given, and what is left by granules.
#define NARROW(C64, C16) \
	CMPQ R9, $16; \
	JB   tail; \
	CMPQ R9, $64; \
	JHI  long; \
	JNE  quarter; \
	C64; \
	RET; \
	PCALIGN $32; \
long: \
	C64; \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $64, R9; \
	CMPQ R9, $64; \
	JAE  long; \
	CMPQ R9, $16; \
	JB   rest; \
quarter: \
	C16; \
	SUBQ $16, R9; \
	ADDQ $16, SI; \
	ADDQ $16, DI; \
	CMPQ R9, $16; \
	JAE  quarter; \
rest: \
	TESTQ R9, R9; \
	JEQ  done; \
tail: \
	MOVL (SI), AX; \
	MOVL AX, (DI); \
	CMPQ R9, $4; \
	JHI  second; \
done: \
	RET; \
second: \
	MOVL 4(SI), AX; \
	MOVL AX, 4(DI); \
	CMPQ R9, $8; \
	JEQ  done; \
	MOVL 8(SI), AX; \
	MOVL AX, 8(DI); \
	RET

// WIDELY copies R9 bytes from SI to DI in ascending order, each byte once, with the widest accesses that fit.
#define WIDELY \
	CMPQ R9, $16; \
	JB   tail; \
	CMPQ R9, $64; \
	JHI  long; \
	JNE  quarter; \
	WIDE64; \
	RET; \
long: \
	CMPQ R9, $256; \
	JB   lines; \
	CMPB ·avx(SB), $0; \
	JEQ  lines; \
	PCALIGN $32; \
turn: \
	VMOVDQU (SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	VMOVDQU 64(SI), Y2; \
	VMOVDQU 96(SI), Y3; \
	VMOVDQU Y0, (DI); \
	VMOVDQU Y1, 32(DI); \
	VMOVDQU Y2, 64(DI); \
	VMOVDQU Y3, 96(DI); \
	ADDQ $128, SI; \
	ADDQ $128, DI; \
	SUBQ $128, R9; \
	CMPQ R9, $128; \
	JAE  turn; \
	VZEROUPPER; \
	CMPQ R9, $64; \
	JB   quarters; \
lines: \
	WIDE64; \
	ADDQ $64, SI; \
	ADDQ $64, DI; \
	SUBQ $64, R9; \
	CMPQ R9, $64; \
	JAE  lines; \
quarters: \
	CMPQ R9, $16; \
	JB   rest; \
quarter: \
	MOVOU (SI), X0; \
	MOVOU X0, (DI); \
	SUBQ $16, R9; \
	ADDQ $16, SI; \
	ADDQ $16, DI; \
	CMPQ R9, $16; \
	JAE  quarter; \
rest: \
	TESTQ R9, R9; \
	JEQ  done; \
tail: \
	CMPQ R9, $8; \
	JB   last; \
	MOVQ (SI), AX; \
	MOVQ AX, (DI); \
	JEQ  done; \
	MOVL 8(SI), AX; \
	MOVL AX, 8(DI); \
	RET; \
last: \
	MOVL (SI), AX; \
	MOVL AX, (DI); \
done: \
	RET

// func WriteAt(s *Span, p []byte, off int64) (n int, err error)
TEXT ·WriteAt(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), R8
	MOVQ p_len+16(FP), R9
	MOVQ off+32(FP), DI
	MOVQ p_base+8(FP), SI
	WITHIN(DI, R9, $(4096-4), slow)
	ADDQ 8(R8), DI
	COPIED
	NARROW(WRITE64, WRITE(0, 4, 8, 12))

slow:
	JMP ·writeSlow(SB)

// func ReadAt(s *Span, p []byte, off int64) (n int, err error)
TEXT ·ReadAt(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), R8
	MOVQ p_len+16(FP), R9
	MOVQ off+32(FP), SI
	MOVQ p_base+8(FP), DI
	WITHIN(SI, R9, 24(R8), slow)
	ADDQ 8(R8), SI
	COPIED
	NARROW(READ64, READ(0, 4, 8, 12))

slow:
	JMP ·readSlow(SB)

// func WriteWide(s *Span, p []byte, off int64) (n int, err error)
TEXT ·WriteWide(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), R8
	MOVQ p_len+16(FP), R9
	MOVQ off+32(FP), DI
	MOVQ p_base+8(FP), SI
	WITHIN(DI, R9, $(4096-4), slow)
	ADDQ 8(R8), DI
	COPIED
	WIDELY

slow:
	JMP ·writeWideSlow(SB)

// func ReadWide(s *Span, p []byte, off int64) (n int, err error)
TEXT ·ReadWide(SB), NOSPLIT, $0-64
	MOVQ s+0(FP), R8
	MOVQ p_len+16(FP), R9
	MOVQ off+32(FP), SI
	MOVQ p_base+8(FP), DI
	WITHIN(SI, R9, 24(R8), slow)
	ADDQ 8(R8), SI
	COPIED
	WIDELY

slow:
	JMP ·readWideSlow(SB)

// func Put32(s *Span, off int64, v uint32) (err error)
TEXT ·Put32(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), R8
	MOVQ off+8(FP), DI
	MOVL v+16(FP), AX
	HAS(DI, 4, slow)
	ADDQ 8(R8), DI
	MOVL AX, (DI)
	MOVQ $0, err_itable+24(FP)
	MOVQ $0, err_data+32(FP)
	RET

slow:
	JMP ·put32Slow(SB)

// func Put64(s *Span, off int64, v uint64) (err error)
TEXT ·Put64(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), R8
	MOVQ off+8(FP), DI
	MOVQ v+16(FP), AX
	HAS(DI, 8, slow)
	ADDQ 8(R8), DI
	MOVL AX, (DI)
	SHRQ $32, AX
	MOVL AX, 4(DI)
	MOVQ $0, err_itable+24(FP)
	MOVQ $0, err_data+32(FP)
	RET

slow:
	JMP ·put64Slow(SB)

// func Get32(s *Span, off int64) (v uint32, err error)
TEXT ·Get32(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), R8
	MOVQ off+8(FP), SI
	HAS(SI, 4, slow)
	ADDQ 8(R8), SI
	MOVL (SI), AX
	MOVL AX, v+16(FP)
	MOVQ $0, err_itable+24(FP)
	MOVQ $0, err_data+32(FP)
	RET

slow:
	JMP ·get32Slow(SB)

// func Get64(s *Span, off int64) (v uint64, err error)
TEXT ·Get64(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), R8
	MOVQ off+8(FP), SI
	HAS(SI, 8, slow)
	ADDQ 8(R8), SI
	MOVL (SI), AX
	MOVL 4(SI), BX
	SHLQ $32, BX
	ORQ  BX, AX
	MOVQ AX, v+16(FP)
	MOVQ $0, err_itable+24(FP)
	MOVQ $0, err_data+32(FP)
	RET

slow:
	JMP ·get64Slow(SB)

// func Flush()
TEXT ·Flush(SB), NOSPLIT, $0-0
	SFENCE
	RET
