// Package abort carries an error out of the middle of an instruction to the
// launch that it ends.
//
// An instruction runs some ten calls below the loop over CTAs, millions of times
// a second. What can go wrong in it (a fault of the program, a page that does not fit the memory, a
// limit) goes wrong at most once in a launch. If every function on the way
// returned an error, each would test one after each call, for a case that ends
// everything. So the few places that find an error throw it, and the few that
// own a launch, a worker or a write by the host catch it and return it as an
// error like any other. It never leaves package emulator as a panic.
package abort

// thrown is what is on its way; any other panic is a bug of the emulator and
// goes on.
type thrown struct{ err error }

// Throw ends what runs with an error. It does not return.
func Throw(err error) { panic(&thrown{err}) }

// Catch, deferred, turns what was thrown into the error of the surrounding
// function.
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *thrown:
		*err = r.err
	default:
		panic(r)
	}
}
