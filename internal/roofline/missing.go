package roofline

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/internal/gpu"
)

// UnknownFields returns the fields of a GPU's file that an error says are
// unknown.
func UnknownFields(err error) []string {
	paths, _, _ := sortOut(err)
	return paths
}

// Explain writes what is missing in one line. The numbers that a GPU's file
// lacks are listed together.
func Explain(err error) string {
	paths, last, others := sortOut(err)
	if paths != nil {
		others = append(others, fmt.Sprintf("GPU %s: unknown are %s (%s; the thesis' time model needs rates alone)",
			last.GPU, strings.Join(paths, ", "), strings.ReplaceAll(last.Hint(), "`", "")))
	}
	return strings.Join(others, "; ")
}

// sortOut splits an error into fields of a GPU's file, with the last error about
// one, and the texts of others.
func sortOut(err error) (paths []string, last *gpu.UnknownError, others []string) {
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
			last, paths = unknown, append(paths, unknown.Path)
			return
		}
		others = append(others, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	visit(err)
	return paths, last, others
}

// WriteMissing writes each of the reasons for which rows have no figure once, with
// how many rows it is of: a network of a hundred launches on a GPU without a
// clock has one line, not a hundred. lacking is what they do not have.
func WriteMissing(b *strings.Builder, lacking string, reasons []string) {
	rows := map[string]int{}
	for _, r := range reasons {
		rows[r]++
	}
	for _, r := range reasons {
		if n := rows[r]; n > 0 {
			fmt.Fprintf(b, "%s (rows: %d): %s\n", lacking, n, r)
		}
		delete(rows, r)
	}
}
