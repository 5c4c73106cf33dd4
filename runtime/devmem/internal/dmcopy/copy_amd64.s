#include "textflag.h"

// Each function checks the range against the length in the span right before it uses the base: assembly is not preempted
// (the runtime stops a goroutine only where it knows what registers hold), so a stop of the world after the length has become 0 finds
// nobody between the check and the last access.
//
// Both copies go by 64 bytes, then by 16, then by up to three granules. The mapping is only ever accessed by MOVL, in ascending order.
// What is left is the number of instructions: the processor stores two granules in a cycle. The alignment is for copies of
// less than 64 bytes, which jump there: it is worth half a nanosecond of three and a half.

// func store4(dst *Span, off uint64, src unsafe.Pointer, n uint64) Outcome
//
// Host memory is loaded eight bytes at a time: it leaves the load ports free where the lines of the mapping are fetched.
TEXT ·store4(SB), NOSPLIT, $0-33
	MOVQ n+24(FP), R9
	MOVQ off+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ dst+0(FP), R8
	MOVQ (R8), R10
	LEAQ (DX)(R9*1), R11
	CMPQ DX, R10
	JHI  gone
	CMPQ R11, R10
	JHI  gone
	MOVB $0, ret+32(FP) // Copied
	MOVQ 8(R8), DI
	ADDQ DX, DI
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

gone: // 1 is Closed, 2 is Beyond
	MOVL  $1, AX
	MOVL  $2, BX
	TESTQ R10, R10
	CMOVLNE BX, AX
	MOVB  AX, ret+32(FP)
	RET

// func load4(dst unsafe.Pointer, src *Span, off uint64, n uint64) Outcome
TEXT ·load4(SB), NOSPLIT, $0-33
	MOVQ n+24(FP), R9
	MOVQ off+16(FP), DX
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), R8
	MOVQ (R8), R10
	LEAQ (DX)(R9*1), R11
	CMPQ DX, R10
	JHI  gone
	CMPQ R11, R10
	JHI  gone
	MOVB $0, ret+32(FP) // Copied
	MOVQ 8(R8), SI
	ADDQ DX, SI
	CMPQ R9, $64
	JB   rest

turn:
	MOVL (SI), AX
	MOVL 4(SI), BX
	MOVL 8(SI), CX
	MOVL 12(SI), DX
	MOVL AX, (DI)
	MOVL BX, 4(DI)
	MOVL CX, 8(DI)
	MOVL DX, 12(DI)
	MOVL 16(SI), AX
	MOVL 20(SI), BX
	MOVL 24(SI), CX
	MOVL 28(SI), DX
	MOVL AX, 16(DI)
	MOVL BX, 20(DI)
	MOVL CX, 24(DI)
	MOVL DX, 28(DI)
	MOVL 32(SI), AX
	MOVL 36(SI), BX
	MOVL 40(SI), CX
	MOVL 44(SI), DX
	MOVL AX, 32(DI)
	MOVL BX, 36(DI)
	MOVL CX, 40(DI)
	MOVL DX, 44(DI)
	MOVL 48(SI), AX
	MOVL 52(SI), BX
	MOVL 56(SI), CX
	MOVL 60(SI), DX
	MOVL AX, 48(DI)
	MOVL BX, 52(DI)
	MOVL CX, 56(DI)
	MOVL DX, 60(DI)
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
	MOVL (SI), AX
	MOVL 4(SI), BX
	MOVL 8(SI), CX
	MOVL 12(SI), DX
	MOVL AX, (DI)
	MOVL BX, 4(DI)
	MOVL CX, 8(DI)
	MOVL DX, 12(DI)
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

gone: // 1 is Closed, 2 is Beyond
	MOVL  $1, AX
	MOVL  $2, BX
	TESTQ R10, R10
	CMOVLNE BX, AX
	MOVB  AX, ret+32(FP)
	RET

// func Store(dst *Span, off uint64, v uint32) Outcome
TEXT ·Store(SB), NOSPLIT, $0-25
	MOVQ off+8(FP), DX
	MOVQ dst+0(FP), R8
	MOVL v+16(FP), AX
	MOVQ (R8), R10
	CMPQ DX, R10 // both are multiples of 4, so a granule that begins within ends within
	JAE  gone
	MOVB $0, ret+24(FP)
	MOVQ 8(R8), DI
	MOVL AX, (DI)(DX*1)
	RET

gone:
	MOVL  $1, AX
	MOVL  $2, BX
	TESTQ R10, R10
	CMOVLNE BX, AX
	MOVB  AX, ret+24(FP)
	RET

// func Load(src *Span, off uint64) (v uint32, how Outcome)
TEXT ·Load(SB), NOSPLIT, $0-21
	MOVQ off+8(FP), DX
	MOVQ src+0(FP), R8
	MOVQ (R8), R10
	CMPQ DX, R10
	JAE  gone
	MOVB $0, how+20(FP)
	MOVQ 8(R8), SI
	MOVL (SI)(DX*1), AX
	MOVL AX, v+16(FP)
	RET

gone:
	MOVL  $0, v+16(FP)
	MOVL  $1, AX
	MOVL  $2, BX
	TESTQ R10, R10
	CMOVLNE BX, AX
	MOVB  AX, how+20(FP)
	RET

// func Flush()
TEXT ·Flush(SB), NOSPLIT, $0-0
	SFENCE
	RET
