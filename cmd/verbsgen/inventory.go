package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/apidiff"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

func (a *app) inventoryCmd() *cobra.Command {
	var src source
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inventory [--release REL | --header FILE] [--json]",
		Short: "print the declarations of a header, with offsets and values",
		Long: `inventory prints the declarations of the header of a release, or of a header of
your own. Sizes and offsets are in bytes, for linux/amd64; a record whose layout
differs on arm64 is printed with both layouts.

--json prints one object:
  release     "65.0", or null with --header
  functions   [{name, kind, ret, params: [{name, type}], ...}]
              kind is exported (a symbol of the library), inline (static inline
              in the header) or macro (exported, and shadowed by a macro of the
              same name, which redirect resolves)
  records     [{tag: "struct ibv_mr", size, align, fields: [{name, type, offset,
              size, bit_offset?, bit_size?}]}]; one that is declared but never
              defined has incomplete: true
  enums       [{tag: "enum ibv_mtu", enumerators: [{name, value}]}];
              "enum <anonymous 1>" without a tag
  macros      [{name, value}], object-like ones; value is an integer, or a
              string of C
  aliases     [{name, of, kind}], macros that rename

Members of anonymous structs and unions are flattened. A named member of a
tagless type comes with its own name, then its members with dotted names
("global", "global.subnet_prefix"); an unnamed member comes with an empty name,
then its members under their own names. Their offsets count from the start of
the outermost record.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if err := src.check(); err != nil {
				return err
			}
			m, err := spec.ModuleOf(src.Module)
			if err != nil {
				return err
			}
			rel, err := input.Facts(src.Source, m)
			if err != nil {
				return err
			}
			if asJSON {
				data, err := api.Marshal(rel)
				if err != nil {
					return err
				}
				_, err = a.out.Write(data)
				return err
			}
			return a.show(inventoryText(rel))
		}),
	}
	src.factFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// inventoryText is the facts for people. What may be long comes last on its line, so that it wraps well.
func inventoryText(rel *api.Release) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "# %d functions, %d records, %d enums, %d macros, %d aliases\n",
		len(rel.Functions), len(rel.Records), len(rel.Enums), len(rel.Macros), len(rel.Aliases))
	fmt.Fprintln(t, "\n# functions")
	for _, f := range rel.Functions {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.Kind, reached(f), strings.TrimPrefix(apidiff.Signature(f), f.Kind+" "))
	}
	fmt.Fprintln(t, "\n# records: offset, size, type and name of each field")
	for _, r := range rel.Records {
		if r.Incomplete {
			fmt.Fprintf(t, "%s\tincomplete\n", r.Tag)
			continue
		}
		fmt.Fprintf(t, "%s\t%d bytes, aligned to %d\n", r.Tag, r.Size, r.Align)
		for _, f := range r.Fields {
			fmt.Fprintf(t, "  %d\t%d\t%s\t%s\n", f.Offset, f.Size, f.Type, f.Name)
		}
	}
	fmt.Fprintln(t, "\n# enums")
	for _, e := range rel.Enums {
		fmt.Fprintln(t, e.Tag)
		for _, m := range e.Enumerators {
			fmt.Fprintf(t, "  %s\t%d\n", m.Name, m.Value)
		}
	}
	fmt.Fprintln(t, "\n# macros")
	for _, m := range rel.Macros {
		fmt.Fprintf(t, "%s\t%v\n", m.Name, m.Value)
	}
	fmt.Fprintln(t, "\n# aliases")
	for _, al := range rel.Aliases {
		fmt.Fprintf(t, "%s\t%s\t%s\n", al.Name, al.Of, al.Kind)
	}
	_ = t.Flush() // into memory
	return b.String()
}

// reached says how a function is reached, in a few words.
func reached(f api.Function) string {
	switch {
	case f.Dispatch != nil && f.Dispatch.Op != "":
		return f.Dispatch.Way + " " + f.Dispatch.Op
	case f.Dispatch != nil:
		return f.Dispatch.Way
	case f.Version != "":
		return f.Version
	}
	return ""
}
