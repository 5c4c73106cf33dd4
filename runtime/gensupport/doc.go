// Package gensupport and the packages in its folder are for generated code: a package that verbsgen has generated imports them, and a
// program that uses such a package does not.
//
// They change together with the generator. Nothing is promised about their API beyond this: generated code works with the runtime
// version that it was generated for. What a program needs is in the generated package itself, which has aliases of types of dpath and
// devmem (their methods are part of its API, and docs/api lists them), and in the packages beside this folder: mem, softcm, softverbs and
// verr.
package gensupport
