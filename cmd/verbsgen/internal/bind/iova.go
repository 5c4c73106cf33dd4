package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindIOVA resolves where addresses in a new memory region begin.
func (b *binder) bindIOVA(v *model.Verb, s *spec.Verb) {
	if v.Creates == nil || v.Creates.Region == nil || len(s.IOVA) == 0 {
		return
	}
	v.IOVA = &model.IOVA{Unknown: s.IOVA[0] == spec.IOVAUnknown}
	if v.IOVA.Unknown || s.IOVA[0] == spec.IOVAZero {
		return
	}
	for _, path := range s.IOVA {
		param, field, nested := strings.Cut(path, ".")
		from := model.IOVAFrom{Param: v.Param(param)}
		if nested && from.Param != nil && from.Param.Record != nil {
			from.Field = from.Param.Record.Field(field)
		}
		if from.Param == nil || nested && from.Field == nil {
			b.errorf(diag.NameUnknown, s.At("iova", path), v.C, "iova: "+path+" is neither a parameter nor a field of a record", "correct iova:")
			continue
		}
		v.IOVA.From = append(v.IOVA.From, from)
	}
	if v.Creates.Region.Vague != nil {
		v.IOVA.Vague = flagged(v, v.Creates.Region.Vague.C)
	}
}

// flagged finds the parameter or field whose type has a flag, or nil.
func flagged(v *model.Verb, flag string) *model.IOVAFrom {
	has := func(e *model.Enum) bool {
		return e != nil && e.Flags && slices.ContainsFunc(e.Members, func(m *model.Member) bool { return m.C == flag })
	}
	for _, p := range v.Params {
		if has(p.Enum) {
			return &model.IOVAFrom{Param: p}
		}
		if p.Taken() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			if has(f.Enum) {
				return &model.IOVAFrom{Param: p, Field: f}
			}
		}
	}
	return nil
}
