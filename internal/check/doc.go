// Package check says what a checked run has found wrong with a program: accesses
// beyond memory, reads of what nobody has written, races, threads that do not meet
// where they have to. It knows words and places, no emulator: package analysis makes
// a [Finding] of each fact that the engines have kept, commands show the [List].
//
//	kind.go     what there is to find, and the groups that --check names
//	finding.go  one finding: two accesses, a count, a sentence
//	list.go     all findings of a program, each once, in one order
//	suppress.go what somebody has looked at and does not want to hear of again
//
// Start with finding.go.
package check
