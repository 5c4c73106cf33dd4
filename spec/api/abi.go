package api

import "slices"

// On returns the release as it is on linux of an architecture, named as by runtime.GOARCH: sizes and offsets of records are those of
// that ABI.
func (rel *Release) On(arch string) *Release {
	if arch != "arm64" {
		return rel
	}
	there := *rel
	there.Records = slices.Clone(rel.Records)
	for i := range there.Records {
		record := &there.Records[i]
		l := record.ARM64
		if l == nil {
			continue
		}
		record.Size, record.Align, record.Fields = l.Size, l.Align, slices.Clone(record.Fields)
		for j := range record.Fields {
			record.Fields[j].Offset, record.Fields[j].Size = l.Offsets[j], l.Sizes[j]
		}
	}
	return &there
}
