package plan

import (
	"reflect"
	"strings"
)

// mentions reports whether steps use a variable, or a field of it.
func mentions(steps []Step, name string) bool {
	return mentioned(reflect.ValueOf(steps), name)
}

func mentioned(x reflect.Value, name string) bool {
	switch x.Kind() {
	case reflect.String:
		return x.String() == name || strings.HasPrefix(x.String(), name+".")
	case reflect.Interface:
		return !x.IsNil() && mentioned(x.Elem(), name)
	case reflect.Slice:
		for i := range x.Len() {
			if mentioned(x.Index(i), name) {
				return true
			}
		}
	case reflect.Struct:
		for i := range x.NumField() {
			if mentioned(x.Field(i), name) {
				return true
			}
		}
	}
	return false
}
