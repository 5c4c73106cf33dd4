// Package harness calls a verbs library as generated bindings do, for the tests of softverbs: cgo is refused in test
// files. It owns no rule of verbs and checks nothing.
package harness
