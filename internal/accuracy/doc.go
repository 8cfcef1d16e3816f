// Package accuracy says how far predictions are off what was measured, and how far
// the one constant would be that fits best. It knows numbers alone.
//
// Start with [Of].
package accuracy
