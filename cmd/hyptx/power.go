package main

import (
	"github.com/spf13/cobra"
)

func (a *app) powerCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "power",
		Short: "Say what power and energy launches take",
	}
	c.AddCommand(a.powerValidateCommand())
	return c
}
