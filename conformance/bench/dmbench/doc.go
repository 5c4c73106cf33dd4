// Package dmbench measures copies to and from device memory against C, in ratios.
//
// It owns the loop in C through the provider's callback, which is 1. It must not know how a device memory is made: it is given a struct
// ibv_dm and the loops that copy.
//
// Designs of copies that were measured and left out, or made no difference, at 64 bytes unless it says otherwise: results stored after
// the copy (no difference); a load for each four bytes where the copy loads eight (.75 at 256 bytes, where the copy takes .59); stores
// from registers of 16 bytes by PSHUFD and PEXTRD (.87 at 256 bytes); reads with PINSRD (.75, and .57 at 256 bytes, where the copy
// takes .80 and .60; it needs SSE 4.1, and so a second way for older processors). One store for two words of the results took 4 %
// less: the copies have it.
package dmbench
