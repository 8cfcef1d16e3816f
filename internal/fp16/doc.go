// Package fp16 converts between the two floating-point formats of 16 bits and
// the wider ones: f16 (IEEE 754 binary16: 5 bits of exponent, 10 of fraction)
// and bf16 (the upper half of a binary32: 8 and 7).
//
// It is the one place that knows these formats; manifests, outputs, samples and
// the emulator convert through it. It computes nothing in them: arithmetic and
// its roundings other than to nearest even are the emulator's.
//
// Every conversion to 16 bits rounds once, to nearest even, from the value that
// it is given; a NaN becomes [NaN], PTX's canonical one.
package fp16
