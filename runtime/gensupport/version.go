package gensupport

// GeneratedForRuntime1 is used by all code that was generated for version 1 of the runtime. Code that was generated for another version
// uses another name, and so it does not compile with this one. The value is the name, for the generator to write.
//
// The version changes in a release whose generated code does not work with the runtime of the release before, or the other way around.
// The name then ends in the next number.
const GeneratedForRuntime1 = "GeneratedForRuntime1"
