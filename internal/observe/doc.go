// Package observe says what somebody who debugs a program wants to be told while it is
// emulated, and how that is written: each step of a thread, each write of some words of
// memory, results of floating point that are no numbers. It knows no emulator; that one
// calls an [Observer], where a launch has one.
//
//	observer.go   what is observed, and what is told of it: steps, writes
//	value.go      a value with its type, as text
//	text.go       steps and writes as text
//	nonfinite.go  NaN and infinities: made of numbers, or come from elsewhere
//	reason.go     what made one, in words
//	history.go    the last steps of a thread, and where a value comes from
//	spec.go       what a user writes: KERNEL:CTA:THREAD, BUFFER[i:j]
//	log.go        where the text goes, and how much of it there may be
//
// Start with observer.go.
package observe
