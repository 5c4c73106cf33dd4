// The functions that a program calls, in table.h's order. Their types are those of the ABI, so that a function of other
// parameters does not compile.
#ifndef SVB_ENTRY_H
#define SVB_ENTRY_H

#include "base.h"

#define SYMBOL(name, minor, function) extern __typeof__(*(vg_fn_##name)0) function SVB_HIDDEN;
#define SYMBOL_OF_SLOT(name, minor, function, result, type, arg) SVB_HIDDEN result function(int slot, type arg);
#define OP(member, present, function) extern __typeof__(*((struct verbs_context *)0)->member) function SVB_HIDDEN;
#define CONTEXT_OP(member, function) extern __typeof__(*((struct ibv_context *)0)->ops.member) function SVB_HIDDEN;
#include "table.h"

#endif
