package bind

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindPoints finds the records that C can have behind a pointer: the one that the page names, or all arms of a type. That there are none
// is reported elsewhere.
func (b *binder) bindPoints(r *model.Record, f *model.Field, sf spec.RecordField, all []*model.Record) {
	if sf.Points == "" {
		return
	}
	subject := r.Go + "." + f.Go
	if to := b.records[sf.Points]; to != nil {
		f.Points, f.GoType = []*model.Record{to}, "*"+sf.Points
	} else {
		f.GoType = sf.Points
		for _, x := range all {
			if x.Arm != nil && x.Arm.Of == sf.Points {
				f.Points = append(f.Points, x)
			}
		}
	}
	f.PointsTo = sf.Points
	for _, x := range f.Points {
		x.Pointed = true
	}
	if sf.Tag == "" {
		return
	}
	if f.Tag = b.leaf(r.Mirror, sf.Tag); f.Tag == nil {
		b.errorf(diag.NameUnknown, sf.At("tag", sf.Tag), subject, "no field "+sf.Tag+" in struct "+r.C, "correct tag:")
	}
}
