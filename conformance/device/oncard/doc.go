// Package oncard has the tests that run on the real libmlx5 and libefa above the emulated card, which conformance/card builds. As root
// they use the card as a user without rights, in namespaces of their own without /dev/infiniband. As any user:
//
//	unshare --user --map-root-user --mount --net --pid --fork go run ./conformance/card/rdmacard run -- ibv_devinfo
//
// TestLikeMLX5 asks softverbs.LikeMLX5 and the real libmlx5 more than 4,300 questions in C, without the bindings. testdata/likemlx5.txt
// lists the answers that differ, with the reason. TestParties breaks the rules that libmlx5 or libibverbs enforces; spec/tried.txt has
// the answers. TestSeed calls in Go and in C what only mlx5 has: both must answer alike, and read what the other wrote.
//
// testdata/mutants.tsv lists small changes of the code that calls or replaces functions of the provider, and what noticed each: the tests
// here and the suite between two devices, the suite on softverbs, and soft-RoCE. There, "no such call" and "asks no allocator" mean that
// the change has no effect. A star marks a test that was written for the mutant. Softverbs and soft-RoCE cannot notice 39 of the 58. The
// card notices 31 of these, and the list has the reason for the other 8.
package oncard
