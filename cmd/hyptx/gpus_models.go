package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/roofline"
	"hyptx/power"
)

// checkTime returns what the default time model lacks of a GPU.
func checkTime(g *gpu.GPU) error {
	d, err := roofline.NewDevice(g)
	if err != nil {
		return err
	}
	return roofline.Default().Lacks(d)
}

// chipOf returns the power model of a GPU for ptx_sim, or for the variant that
// its file has one of.
func chipOf(g *gpu.GPU) (*power.Chip, error) {
	v, err := power.OwnVariant(g)
	if err != nil {
		return nil, err
	}
	if v == "" {
		v = power.PTXSim
	}
	return power.ChipOf(g, power.ChipOptions{Variant: v})
}

// models names the models that all that they need of the GPU is known for:
// caches (profile --gpu), times (roofline, the extended model) and power, which
// needs both.
func models(g *gpu.GPU) []string {
	var names []string
	caches, time := hierarchy.Check(g), checkTime(g)
	if caches == nil {
		names = append(names, "caches")
	}
	if time == nil {
		names = append(names, "time")
	}
	if _, err := chipOf(g); err == nil && caches == nil && time == nil {
		names = append(names, "power")
	}
	return names
}

// lacks says what a model lacks.
func lacks(err error) string {
	switch fields := roofline.UnknownFields(err); {
	case err == nil:
		return "all is known"
	case fields != nil:
		return "unknown are " + strings.Join(fields, ", ")
	}
	return err.Error()
}

// writeModels says what the models lack of a GPU.
func writeModels(w io.Writer, g *gpu.GPU) error {
	caches, time := hierarchy.Check(g), checkTime(g)
	_, err := fmt.Fprintf(w, "\nmodel of the caches (profile --gpu): %s\nmodel of the time (roofline), for integers, fp32 and loads: %s\n", lacks(caches), lacks(time))
	if err != nil {
		return err
	}
	chip, errPower := chipOf(g)
	if errPower == nil && caches == nil && time != nil {
		_, err = fmt.Fprintln(w, "model of the power (power): with measured times alone (--time FILE.csv --counts machine), as the model of the time lacks numbers")
		return err
	}
	if err := errors.Join(errPower, caches); err != nil {
		_, err = fmt.Fprintf(w, "model of the power (power): %s\n", lacks(err))
		return err
	}
	_, err = fmt.Fprintf(w, "model of the power (power), %s: energies %s, static power %s, constant power %.4g W\n", chip.Variant, chip.Basis, chip.StaticBasis, chip.ConstantW)
	for _, n := range chip.Notes {
		if err == nil {
			_, err = fmt.Fprintf(w, "  %s\n", n)
		}
	}
	return err
}
