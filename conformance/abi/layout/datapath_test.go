package layout

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestDataPath holds the structs and the constants of package dpath against the facts. Their comments name what they are in C.
func TestDataPath(t *testing.T) {
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "github.com/verbsgen/verbsgen/runtime/gensupport/dpath")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatal(err, pkgs)
	}
	numbers, records := map[string]int64{}, map[string]*api.Record{}
	for _, e := range rel.Enums {
		for _, m := range e.Enumerators {
			numbers[m.Name] = m.Value
		}
	}
	for i, r := range rel.Records {
		records[r.Tag] = &rel.Records[i]
	}
	fields, constants := 0, 0
	for _, file := range pkgs[0].Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				spec, ok := n.Specs[0].(*ast.TypeSpec)
				if !ok {
					break
				}
				if _, ok := spec.Type.(*ast.StructType); !ok {
					break
				}
				for _, m := range ofC.FindAllStringSubmatch(sentence.FindString(n.Doc.Text()), -1) {
					fields += goStruct{t, pkgs[0], spec, records, records[m[1]]}.compare(m[2])
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					c, ok := pkgs[0].TypesInfo.Defs[name].(*types.Const)
					if want := enumerator.FindString(n.Comment.Text()); ok && want != "" {
						constants++
						if got, _ := constant.Int64Val(c.Val()); got != numbers[want] {
							t.Errorf("%s is %d, and %s %d", name, got, want, numbers[want])
						}
					}
				}
			}
			return true
		})
	}
	if fields < 60 || constants < 25 {
		t.Errorf("only %d fields and %d constants name what they are", fields, constants)
	}
}

var (
	sentence   = regexp.MustCompile(`^\w+ is (the beginning of )?struct ibv[^.]*`)
	ofC        = regexp.MustCompile(`(struct ibv_\w+)(?: from (\w+) on)?`)
	enumerator = regexp.MustCompile(`^IBV_\w+`)
	named      = regexp.MustCompile(`[a-z]\w*(?:\.\w+)*`)
	place      = regexp.MustCompile(`^ours, in (\w+)(?:, over ([\w.]+))?`)
)

// goStruct is a struct of Go that is one of C.
type goStruct struct {
	*testing.T
	pkg    *packages.Package
	spec   *ast.TypeSpec
	all    map[string]*api.Record
	record *api.Record
}

// compare compares all fields with those of C that lie behind one of a name, or with all, and returns how many there are.
func (s goStruct) compare(behind string) (n int) {
	of := s.pkg.TypesInfo.Defs[s.spec.Name].Type().Underlying().(*types.Struct)
	var vars []*types.Var
	for v := range of.Fields() {
		vars = append(vars, v)
	}
	offsets, i := s.pkg.TypesSizes.Offsetsof(vars), 0
	base := int64(0)
	if behind != "" {
		base = s.record.Field(behind).Offset
	} else if size := s.pkg.TypesSizes.Sizeof(of); size != s.record.Size && s.spec.Name.Name != "head" {
		s.Errorf("%s has %d bytes, and %s %d", s.spec.Name, size, s.record.Tag, s.record.Size)
	}
	for _, f := range s.spec.Type.(*ast.StructType).Fields.List {
		for _, name := range f.Names {
			from := base + offsets[i]
			to := from + s.pkg.TypesSizes.Sizeof(vars[i].Type())
			if i++; name.Name != "_" {
				n++
				s.field(name.Name, f.Comment.Text(), from, to)
			}
		}
	}
	return n
}

// field compares a field, which has the bytes between from and to of C's struct.
func (s goStruct) field(name, comment string, from, to int64) {
	if ours := place.FindStringSubmatch(comment); ours != nil {
		s.ours(name, ours[1], ours[2], from, to)
		return
	}
	if comment == "" {
		comment = strings.ToLower(name)
	}
	end := int64(0)
	for _, word := range named.FindAllString(comment, -1) {
		if c := s.record.Field(word); c != nil {
			if end == 0 && c.Offset != from || c.Offset < from || c.Offset+c.Size > to {
				s.Errorf("%s.%s has bytes %d to %d of %s, and %s is at %d", s.spec.Name, name, from, to, s.record.Tag, word, c.Offset)
			}
			end = max(end, c.Offset+c.Size)
		}
	}
	if end != to {
		s.Errorf("%s.%s ends at byte %d of %s, and what its comment names at %d", s.spec.Name, name, to, s.record.Tag, end)
	}
}

// ours asks that a field of Go's own lies in a member of C that is not used, or where C has nothing, and at the offset of another member.
func (s goStruct) ours(name, in, over string, from, to int64) {
	if in == "padding" {
		if c := s.between(s.record, from, to); c != "" {
			s.Errorf("%s.%s has bytes %d to %d of %s, which has %s there", s.spec.Name, name, from, to, s.record.Tag, c)
		}
	} else if c := s.record.Field(in); c == nil || from < c.Offset || to > c.Offset+c.Size {
		s.Errorf("%s.%s has bytes %d to %d of %s, and is to lie in %s", s.spec.Name, name, from, to, s.record.Tag, in)
	}
	if over != "" && s.record.Field(over).Offset != from {
		s.Errorf("%s.%s is not over %s", s.spec.Name, name, over)
	}
}

// between returns a member of a record that has some of the bytes between from and to, which are no padding then.
func (s goStruct) between(r *api.Record, from, to int64) string {
	for _, c := range r.Fields {
		if r.Container(c) || c.Name == "" || c.Offset >= to || from >= c.Offset+c.Size {
			continue
		}
		if s.all[c.Type] == nil || s.between(s.all[c.Type], from-c.Offset, to-c.Offset) != "" {
			return c.Name
		}
	}
	return ""
}
