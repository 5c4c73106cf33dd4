package spec

import "github.com/verbsgen/verbsgen/spec/api"

// LibcRecords are structs of libc that structs of the headers have as fields, as they are on linux/amd64 and linux/arm64. They are no
// facts of a release: no page decides about them.
func LibcRecords() []*api.Record { return []*api.Record{libcTimespec} }

var libcTimespec = &api.Record{Tag: "struct timespec", Size: 16, Align: 8, Fields: []api.Field{
	{Name: "tv_sec", Type: "int64_t", Offset: 0, Size: 8},
	{Name: "tv_nsec", Type: "int64_t", Offset: 8, Size: 8},
}}
