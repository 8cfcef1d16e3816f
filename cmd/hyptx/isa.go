package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/emulator"
	"hyptx/ir/isa"
	"hyptx/ptx-samples/features"
)

// hyptx isa: how far each instruction form is supported. The list is the table of
// package isa, joined with what the emulator says of a form and with the samples
// that prove it; nothing here is kept by hand, so the list cannot be more hopeful
// than the program. "unproven" is apart from "executed" because a form that runs but
// was never held against a reference is where a wrong count would hide.

var _ = register((*app).isaCommand)

// The forms of the manual of PTX ISA 9.4, as ../shared/isa counts them, which a test
// holds against the table: a row here may stand for several of them, or be a part.
const manualForms, manualDecoded, manualExecuted = 679, 679, 651

func (a *app) isaCommand() *cobra.Command {
	var only, missing string
	c := &cobra.Command{
		Use: "isa", Short: "List the instruction forms that hyptx knows, and how far each is executed and proven", Args: cobra.NoArgs,
		Long: `List the instruction forms that hyptx knows: the manual's section, the class under which the profile counts the form, its syntax, the PTX version and the targets that have it first, and whether it is

  executed     with the programs of ptx-samples/features that prove it, and what the outputs expected of the first rest on
  unproven     executed, with single programs as above, but no test holds all its spellings against a reference: the reason
  unsupported  read and counted, but not executed: a run that needs its result ends with an error before anything runs

Modifiers with which a form is not executed are named with their reasons. Forms that the manual does not have but ptxas takes are marked "ptxas alone"; --lenient lets them pass. --missing FILE lists what a PTX file has that is not executed.`,
		Example: "  hyptx isa --only unsupported\n  hyptx isa --missing k.ptx",
		RunE: func(*cobra.Command, []string) error {
			if missing != "" {
				return a.missing(missing)
			}
			proven, err := features.Proven()
			if err != nil {
				return err
			}
			samples, err := features.All()
			if err != nil {
				return err
			}
			sources := map[string]string{}
			for _, s := range samples {
				sources[s.Name] = strings.Join(s.Sources, "; ")
			}
			counts := map[string]int{}
			t := sheet{least: 14, spare: []string{"since", "class"}, more: "and what is left out"}
			t.add("section", "class", "form", "since", "state", "rests on")
			for _, f := range isa.Forms() {
				state, why := formState(f, proven[f.Index], sources)
				counts[state]++
				if only == "" || only == state {
					t.add(f.Section, fmt.Sprint(f.Class), f.Syntax, f.Since(), state, why+exceptionText(f))
				}
			}
			t.print(a.text, a.columns())
			a.say("%d forms: %d executed, %d unproven, %d unsupported",
				len(isa.Forms()), counts["executed"], counts["unproven"], counts["unsupported"])
			a.say("of the %d forms of PTX ISA 9.4 %d are read and counted, %d of these executed", manualForms, manualDecoded, manualExecuted)
			return nil
		},
	}
	c.Flags().StringVar(&missing, "missing", "", "list what this PTX `file` has that is not executed")
	choose(c, &only, "only", "", "list only the forms of this `state`: executed, unproven or unsupported", "executed", "unproven", "unsupported")
	return c
}

// formState says how far a form is executed, and why or by what it is proven. The
// order of the questions is that of trust: what cannot run is never called executed
// because a sample names it, and what runs without a sample is not proven. So "executed"
// is the only answer that a test stands behind. A line of
// add.type d, a, b names three of its samples and how many more there are, and what the
// expected output of the first rests on.
func formState(f *isa.Form, samples []string, sources map[string]string) (state, why string) {
	switch reason := emulator.Unsupported(f); {
	case reason != "":
		return "unsupported", reason
	case emulator.Unproven(f) != "":
		return "unproven", emulator.Unproven(f)
	case len(samples) == 0:
		return "unproven", "no program"
	case len(samples) > 3:
		why = fmt.Sprintf("%s and %d more", strings.Join(samples[:3], ", "), len(samples)-3)
	default:
		why = strings.Join(samples, ", ")
	}
	return "executed", why + ": " + sources[samples[0]]
}

// exceptions returns the modifiers with which a form that is executed is not, by the reason:
// words that stand in spellings that are not executed, and in none that is.
func exceptions(f *isa.Form) map[string][]string {
	without := map[string][]string{}
	if emulator.Unsupported(f) != "" {
		return without
	}
	const enough = 1000 // spellings: beyond, pairs of alternatives
	reasons, runs := map[string]string{}, map[string]bool{}
	for _, opcode := range f.AllSpellings(enough) {
		in, err := isa.Decode(opcode)
		if err != nil || in.Form != f {
			continue
		}
		reason := emulator.NotExecuted(in)
		for _, m := range in.Mods {
			if reason == "" {
				runs[m.String()] = true
			} else {
				reasons[m.String()] = reason
			}
		}
	}
	for word, reason := range reasons {
		if !runs[word] {
			without[reason] = append(without[reason], "."+word)
		}
	}
	return without
}

// exceptionText is what the list says of them.
func exceptionText(f *isa.Form) (text string) {
	without := exceptions(f)
	for _, reason := range slices.Sorted(maps.Keys(without)) {
		slices.Sort(without[reason])
		text += "; not with " + strings.Join(without[reason], ", ") + ": " + reason
	}
	return text
}
