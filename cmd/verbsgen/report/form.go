package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// maxDepth is how deep the lists and objects of a value may be nested that no report has.
const maxDepth = 100

// form holds the JSON of a report against the Go type, in the words of JSON, and knows where each value stands.
type form struct {
	data  []byte
	d     *json.Decoder
	found Mistakes
	want  map[string]int64 // fields to find the place of
}

// read finds what is no report by its form alone. The error is Mistakes.
func (f *form) read() error {
	f.d, f.found = json.NewDecoder(bytes.NewReader(f.data)), nil
	f.d.UseNumber()
	if err := f.value("", reflect.TypeFor[Report]()); err != nil {
		f.found = append(f.found, f.syntax(err, f.d.InputOffset()))
	}
	if len(f.found) > 0 {
		return f.found
	}
	return nil
}

// place adds to mistakes their places: those of the fields, or of what the fields belong to where they are left out.
func (f *form) place(list []wrong) Mistakes {
	f.want = map[string]int64{}
	for _, w := range list {
		for at := w.field; at != ""; at = outer(at) {
			f.want[at] = -1
		}
	}
	_ = f.read()
	var out Mistakes
	for _, w := range list {
		offset := f.start(0)
		for at := w.field; at != ""; at = outer(at) {
			if f.want[at] >= 0 {
				offset = f.want[at]
				break
			}
		}
		out = append(out, f.mistake(offset, w.field, w.problem))
	}
	return out
}

// outer is the field that a field belongs to.
func outer(field string) string { return field[:max(0, strings.LastIndexAny(field, ".["))] }

// mistake makes a mistake at an offset.
func (f *form) mistake(offset int64, field, problem string) Mistake {
	before := f.data[:min(max(offset, 0), int64(len(f.data)))]
	return Mistake{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n'), field, problem}
}

// syntax makes a mistake of an error of package json.
func (f *form) syntax(err error, offset int64) Mistake {
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.mistake(int64(len(f.data)), "", "it ends too early")
	case errors.As(err, &syntax):
		return f.mistake(syntax.Offset-1, "", syntax.Error())
	}
	return f.mistake(offset, "", err.Error())
}

// start is where the next value begins behind an offset.
func (f *form) start(offset int64) int64 {
	for offset < int64(len(f.data)) && strings.IndexByte(" \t\r\n:,", f.data[offset]) >= 0 {
		offset++
	}
	return offset
}

// value reads one value that is to be of a type. The error is of package json, and ends the reading.
func (f *form) value(field string, t reflect.Type) error {
	at := f.start(f.d.InputOffset())
	if _, ok := f.want[field]; ok {
		f.want[field] = at
	}
	token, err := f.d.Token()
	if err != nil {
		return err
	}
	if token == nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case token == json.Delim('{') && wanted(t) == "an object":
		return f.object(field, t)
	case token == json.Delim('[') && wanted(t) == "a list":
		for i := 0; f.d.More(); i++ {
			if err := f.value(fmt.Sprintf("%s[%d]", field, i), t.Elem()); err != nil {
				return err
			}
		}
		_, err = f.d.Token()
		return err
	}
	if problem := unfit(token, t); problem != "" {
		f.found = append(f.found, f.mistake(at, field, problem))
	}
	return f.skip(token)
}

// object reads the fields of an object, behind its bracket.
func (f *form) object(field string, t reflect.Type) error {
	types := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		types[name] = t.Field(i).Type
	}
	seen := map[string]bool{}
	for f.d.More() {
		at := f.start(f.d.InputOffset())
		token, err := f.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		inner := strings.TrimPrefix(field+"."+name, ".")
		known := types[name]
		switch {
		case known == nil:
			f.found = append(f.found, f.mistake(at, inner, "a report has no such field"))
		case seen[name]:
			f.found = append(f.found, f.mistake(at, inner, "the field comes twice"))
		}
		seen[name] = true
		if known == nil {
			if token, err = f.d.Token(); err == nil {
				err = f.skip(token)
			}
		} else {
			err = f.value(inner, known)
		}
		if err != nil {
			return err
		}
	}
	_, err := f.d.Token()
	return err
}

// errDeep ends the reading of a value that no report has.
var errDeep = fmt.Errorf("lists and objects are nested more than %d deep", maxDepth)

// skip reads the rest of a value that begins with a token.
func (f *form) skip(token json.Token) error {
	for depth := 0; ; {
		switch token {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth {
			return errDeep
		}
		var err error
		if token, err = f.d.Token(); err != nil {
			return err
		}
	}
}

// Types that are not written as their kind.
var (
	timeType    = reflect.TypeFor[time.Time]()
	secondsType = reflect.TypeFor[Seconds]()
)

// wanted says what belongs where a type is read.
func wanted(t reflect.Type) string {
	switch {
	case t == timeType:
		return "a time such as 2026-01-02T03:04:05Z"
	case t == secondsType:
		return "a number of seconds"
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	}
	return "an integer"
}

// given says what a value is by its first token.
func given(token json.Token) string {
	switch token := token.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(token)
	case json.Number:
		return "a number"
	case string:
		return "a text"
	}
	if token == json.Delim('[') {
		return "a list"
	}
	return "an object"
}

// unfit says why a value cannot be of a type; nothing when it can.
func unfit(token json.Token, t reflect.Type) string {
	want := wanted(t)
	switch token := token.(type) {
	case string:
		if t.Kind() == reflect.String {
			return ""
		}
		if t == timeType {
			if _, err := time.Parse(time.RFC3339, token); err == nil {
				return ""
			}
			return fmt.Sprintf("%s belongs here, not %q", want, token)
		}
	case bool:
		if t.Kind() == reflect.Bool {
			return ""
		}
	case json.Number:
		switch {
		case t == secondsType:
			if s, err := token.Float64(); err == nil && s >= 0 && s <= maxSeconds {
				return ""
			}
			return "a number of seconds between 0 and a year belongs here, not " + token.String()
		case t.Kind() == reflect.Uint32:
			if _, err := strconv.ParseUint(token.String(), 10, 32); err == nil {
				return ""
			}
			return "an integer from 0 to 4294967295 belongs here, not " + token.String()
		case t.Kind() == reflect.Int:
			if _, err := strconv.ParseInt(token.String(), 10, 32); err == nil {
				return ""
			}
			return "an integer belongs here, not " + token.String()
		}
	}
	return want + " belongs here, not " + given(token)
}
