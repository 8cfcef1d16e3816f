package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hyptx/internal/hypa"
)

// hyptx hypa welch: whether two lists of times differ, as the paper tests its own against
// nvprof's.

func (a *app) hypaWelchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "welch A B",
		Short: "Test whether two lists of times have different means",
		Long: "Test whether two lists of numbers have different means: Welch's test, two-sided, variances\n" +
			"unequal, at a level of 0.05. A and B are numbers with commas between.",
		Example: "  hyptx hypa welch 20.1,19.8,20.4 21.0,20.5,21.4",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var lists [2][]float64
			for i, arg := range args {
				for part := range strings.SplitSeq(arg, ",") {
					x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
					if err != nil || x-x != 0 { // infinite, or no number
						return usagef("%s: %q is no number", "AB"[i:i+1], part)
					}
					lists[i] = append(lists[i], x)
				}
			}
			c, err := hypa.Welch(lists[0], lists[1])
			if err != nil {
				return usageError{err}
			}
			verdict := "not significant"
			if c.Significant() {
				verdict = "significant"
			}
			_, err = fmt.Fprintf(a.stdout, "mean_a %.6f  mean_b %.6f  t %.6f  df %.6f  p %.6e  %s at 0.05\n", c.MeanA, c.MeanB, c.T, c.DF, c.P, verdict)
			return err
		},
	}
}
