// Package oncard has the tests that run on the real libmlx5 and libefa above the emulated card, which conformance/card builds.
package oncard
