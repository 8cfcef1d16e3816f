//go:build race

package main

// The race detector throws away at random what a sync.Pool keeps, and everything takes
// several times as long.
func init() { raceDetector = true }
