#include "textflag.h"

// Both copies go by 64 bytes, then by 16, then by up to three granules. The mapping is only ever accessed by MOVL, in ascending order.
// What is left is the number of instructions: the processor stores two granules in a cycle. The alignment is for copies of
// less than 64 bytes, which jump there: it is worth half a nanosecond of three and a half.

// func store4(dst, src unsafe.Pointer, n uintptr)
//
// Host memory is loaded eight bytes at a time: it leaves the load ports free where the lines of the mapping are fetched.
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

// func load4(dst, src unsafe.Pointer, n uintptr)
TEXT ·load4(SB), NOSPLIT, $0-24
	MOVQ n+16(FP), R9
	MOVQ src+8(FP), SI
	MOVQ dst+0(FP), DI
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

// func Store(dst unsafe.Pointer, v uint32)
TEXT ·Store(SB), NOSPLIT, $0-12
	MOVQ dst+0(FP), DI
	MOVL v+8(FP), AX
	MOVL AX, (DI)
	RET

// func Load(src unsafe.Pointer) uint32
TEXT ·Load(SB), NOSPLIT, $0-12
	MOVQ src+0(FP), SI
	MOVL (SI), AX
	MOVL AX, ret+8(FP)
	RET

// func Flush()
TEXT ·Flush(SB), NOSPLIT, $0-0
	SFENCE
	RET
