package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"
)

// The version stands in every CSV row and JSON document (hyptx_version), so that
// figures that differ can be told to be of different programs. A build by make has
// the commit's name from git; one by `go build` has the same from the build
// information; a copy of the sources without git says "unknown".

// linkedVersion is set by the linker (Makefile).
var linkedVersion string

// version returns the version: the linker's, else what the Go command knows of
// the sources.
var version = sync.OnceValue(func() string {
	built := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			built[s.Key] = s.Value
		}
	}
	version := cmp.Or(linkedVersion, fmt.Sprintf("%.12s", built["vcs.revision"]), "unknown")
	if linkedVersion == "" && built["vcs.modified"] == "true" {
		version += "-dirty"
	}
	return version
})

var _ = register((*app).versionCommand)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  hyptx version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "hyptx %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
