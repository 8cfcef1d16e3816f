package roofline

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/analysis/gpu"
)

// explain writes what is missing in one line. The numbers that a GPU's file
// lacks are listed together.
func explain(err error) string {
	var paths, others []string
	name := ""
	var visit func(error)
	visit = func(err error) {
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				visit(e)
			}
			return
		}
		if unknown := (*gpu.UnknownError)(nil); errors.As(err, &unknown) {
			name, paths = unknown.GPU, append(paths, unknown.Path)
			return
		}
		others = append(others, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	visit(err)
	if paths != nil {
		others = append(others, fmt.Sprintf("GPU %s: unknown are %s (hyptx gpus %s --json prints a file to fill in; --time-model thesis needs rates alone)",
			name, strings.Join(paths, ", "), name))
	}
	return strings.Join(others, "; ")
}
