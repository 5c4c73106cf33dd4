#include "textflag.h"

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

// func store4(dst, src unsafe.Pointer, n uintptr)
//
// The copy of runtime/gensupport/devmem/internal/dmcopy without the check of a span; keep the two alike.
TEXT ·store4(SB), NOSPLIT, $0-24
	MOVQ n+16(FP), R9
	MOVQ src+8(FP), SI
	MOVQ dst+0(FP), DI
	NARROW(WRITE64, WRITE(0, 4, 8, 12))
