#include "textflag.h"

// func store4(dst, src unsafe.Pointer, n uintptr)
//
// The copy of runtime/devmem/internal/dmcopy without the check of a span; keep the two alike.
TEXT ·store4(SB), NOSPLIT, $0-24
	MOVQ n+16(FP), R9
	MOVQ src+8(FP), SI
	MOVQ dst+0(FP), DI
	CMPQ R9, $64
	JB   rest

turn:
	MOVQ (SI), AX
	MOVL AX, (DI)
	SHRQ $32, AX
	MOVL AX, 4(DI)
	MOVQ 8(SI), AX
	MOVL AX, 8(DI)
	SHRQ $32, AX
	MOVL AX, 12(DI)
	MOVQ 16(SI), AX
	MOVL AX, 16(DI)
	SHRQ $32, AX
	MOVL AX, 20(DI)
	MOVQ 24(SI), AX
	MOVL AX, 24(DI)
	SHRQ $32, AX
	MOVL AX, 28(DI)
	MOVQ 32(SI), AX
	MOVL AX, 32(DI)
	SHRQ $32, AX
	MOVL AX, 36(DI)
	MOVQ 40(SI), AX
	MOVL AX, 40(DI)
	SHRQ $32, AX
	MOVL AX, 44(DI)
	MOVQ 48(SI), AX
	MOVL AX, 48(DI)
	SHRQ $32, AX
	MOVL AX, 52(DI)
	MOVQ 56(SI), AX
	MOVL AX, 56(DI)
	SHRQ $32, AX
	MOVL AX, 60(DI)
	SUBQ $64, R9
	JEQ  done
	ADDQ $64, SI
	ADDQ $64, DI
	CMPQ R9, $64
	JAE  turn

	PCALIGN $32
rest:
	CMPQ R9, $16
	JB   tail

quarter:
	MOVQ (SI), AX
	MOVL AX, (DI)
	SHRQ $32, AX
	MOVL AX, 4(DI)
	MOVQ 8(SI), AX
	MOVL AX, 8(DI)
	SHRQ $32, AX
	MOVL AX, 12(DI)
	SUBQ $16, R9
	JEQ  done
	ADDQ $16, SI
	ADDQ $16, DI
	CMPQ R9, $16
	JAE  quarter

tail:
	TESTQ R9, R9
	JEQ   done
	MOVL  (SI), AX
	MOVL  AX, (DI)
	CMPQ  R9, $8
	JB    done
	MOVL  4(SI), AX
	MOVL  AX, 4(DI)
	JEQ   done
	MOVL  8(SI), AX
	MOVL  AX, 8(DI)

done:
	RET
