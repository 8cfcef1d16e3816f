// Package check says what a checked run has found wrong with a program: accesses
// beyond memory, reads of what nobody has written, races, threads that do not meet
// where they have to. It knows words and places, no emulator, which notes facts in a
// [Log] by the numbers of instructions: package analysis makes a [Finding] of each,
// with lines and sentences, and commands show the [List] as a [Report].
//
//	kind.go     what there is to find, and the groups that --check names
//	log.go      what the emulator notes of a launch
//	finding.go  one finding: two accesses, a count, a sentence
//	list.go     all findings of a program, each once, in one order
//	run.go      what is asked for, and what came of it
//	unchecked.go  what could not be checked
//	suppress.go what somebody has looked at and does not want to hear of again
//	report.go   JSON and text; sarif.go and junit.go for CI
//
// Start with finding.go.
package check
