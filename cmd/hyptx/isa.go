package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hyptx/emulator"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

var _ = register((*app).isaCommand)

func (a *app) isaCommand() *cobra.Command {
	var only string
	c := &cobra.Command{
		Use: "isa", Short: "List the instruction forms that hyptx knows, and how far each is executed and proven", Args: cobra.NoArgs,
		Long: `List the instruction forms that hyptx knows: the manual's section, the class under which the profile counts the form, its syntax, and whether it is

  executed     with the programs of ptx-samples/features that prove it
  unproven     executed, with single programs as above, but no test holds all its spellings against a reference: the reason
  unsupported  read and counted, but not executed: a run that needs its result ends with an error before anything runs`,
		Example: "  hyptx isa --only unsupported",
		RunE: func(*cobra.Command, []string) error {
			if !slices.Contains([]string{"", "executed", "unproven", "unsupported"}, only) {
				return usageError{fmt.Errorf("--only %s: must be executed, unproven or unsupported", only)}
			}
			proven, err := features.Proven()
			if err != nil {
				return err
			}
			counts := map[string]int{}
			t := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, f := range isa.Forms() {
				state, why := formState(f, proven[f.Index])
				counts[state]++
				if only == "" || only == state {
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.Section, f.Class, f.Syntax, state, why)
				}
			}
			if err := t.Flush(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "%d forms: %d executed, %d unproven, %d unsupported\n",
				len(isa.Forms()), counts["executed"], counts["unproven"], counts["unsupported"])
			return err
		},
	}
	c.Flags().StringVar(&only, "only", "", "list only the forms that are executed, unproven or unsupported")
	return c
}

// formState says how far a form is executed, and why or by what it is proven.
func formState(f *isa.Form, samples []string) (state, why string) {
	switch reason := emulator.Unsupported(f); {
	case reason != "":
		return "unsupported", reason
	case emulator.Unproven(f) != "":
		return "unproven", emulator.Unproven(f)
	case len(samples) == 0:
		return "unproven", "no program"
	case len(samples) > 3:
		return "executed", fmt.Sprintf("%s and %d more", strings.Join(samples[:3], ", "), len(samples)-3)
	}
	return "executed", strings.Join(samples, ", ")
}
