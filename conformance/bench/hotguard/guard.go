//go:build linux && cgo

package hotguard

/*
#include "guard.h"
*/
import "C"

import (
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
)

// Mark begins and ends what is counted.
func Mark() { C.hg_mark() }

// Idle lets the queues of an ibv_context post and poll at the cost of a call.
func Idle(context unsafe.Pointer) { C.hg_idle((*C.struct_ibv_context)(context)) }
