package roofline

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/analysis/gpu"
)

// UnknownFields returns the fields of a GPU's file that an error says are
// unknown.
func UnknownFields(err error) []string {
	paths, _, _ := sortOut(err)
	return paths
}

// explain writes what is missing in one line. The numbers that a GPU's file
// lacks are listed together.
func explain(err error) string {
	paths, name, others := sortOut(err)
	if paths != nil {
		others = append(others, fmt.Sprintf("GPU %s: unknown are %s (hyptx gpus %s --json prints a file to fill in; --time-model thesis needs rates alone)",
			name, strings.Join(paths, ", "), name))
	}
	return strings.Join(others, "; ")
}

// sortOut splits an error into fields of a GPU's file and the texts of others.
func sortOut(err error) (paths []string, name string, others []string) {
	var visit func(error)
	visit = func(err error) {
		if err == nil {
			return
		}
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
	return paths, name, others
}
