package analysis

import (
	"cmp"
	"fmt"

	"hyptx/internal/check"
	"hyptx/internal/observe"
	"hyptx/internal/order"
)

// The sentences of findings. Each says what is wrong in numbers, and what is missing, so
// that the report alone is enough to mend it.

// whyNoted says what is wrong with what a launch has noted.
func whyNoted(f *check.Finding, n *check.Fact) string {
	switch n.Kind {
	case check.OutOfBounds:
		return whyBeyond(f, n)
	case check.Misaligned:
		return fmt.Sprintf("the address %#x%s is no multiple of %d, as that of an access of %d bytes has to be", n.Address, within(f), n.Bytes, n.Bytes)
	case check.UseAfterFree:
		where := "an earlier launch"
		if f.Other != nil {
			where = f.Other.At()
		}
		return fmt.Sprintf("the %d bytes at byte %d of a block of %d that malloc has given were freed at %s: the free has to come behind this", n.Bytes, n.Offset, n.ObjectBytes, where)
	case check.UnwrittenMemory:
		nobody := "no thread has stored there yet"
		if n.Said != "" {
			nobody = "no thread has stored " + n.Said + " yet"
		}
		missing := nobody + ", nor has the host: contents in the manifest (init), a memset or an earlier store is missing"
		if n.Space != "global" {
			missing = nobody + ": a store before it, or a barrier behind that store, is missing (" + n.Space + " memory begins with anything)"
		}
		return fmt.Sprintf("it reads %d bytes%s, and %s", n.Bytes, within(f), missing)
	case check.UnwrittenValue:
		return cmp.Or(n.Said, "it reads a register that no instruction on its way has written")
	case check.DivergentBar:
		if f.Other == nil || f.Other.PC == f.At.PC {
			return "only some threads of the warp execute this barrier, which all have to execute together: its guard differs between them"
		}
		return fmt.Sprintf("only some threads of the warp come to this barrier, others are at %s: a barrier in a branch that not all threads take has to move out of it", f.Other.At())
	case check.Membermask:
		return "the member mask does not name the thread that executes this: the mask has to be that of all threads that come here, as __ballot_sync or __activemask before the branch gives it"
	case check.AbsentLane:
		if f.At.Does == "shuffle" {
			return "it reads the register of a lane that does not execute this shuffle (it has exited, is on another path, or never was): what comes is undefined"
		}
		return "the member mask names threads that are at another instruction: what comes is undefined"
	case check.Deadlock, check.NotTogether, check.Failed, check.BadFree:
		return n.Said
	}
	return n.Said
}

// within names the memory of a finding: " (buffer x + 40)".
func within(f *check.Finding) string {
	switch {
	case f.Object == "":
		return ""
	case f.Space == "global":
		return fmt.Sprintf(" at byte %d of buffer %s", f.Offset, f.Object)
	}
	return fmt.Sprintf(" at byte %d of %s", f.Offset, f.Object)
}

// whyBeyond says of an access that hits no memory which element it wanted, and which there
// are.
func whyBeyond(f *check.Finding, n *check.Fact) string {
	if n.Astray != "" {
		astray := *n
		astray.Astray = ""
		return whyBeyond(f, &astray) + fmt.Sprintf("; what lies there is byte %d of %s", n.AstrayAt, observe.VariableName(n.Astray))
	}
	size := int64(n.Bytes)
	object := f.Object
	switch {
	case n.Address < 1<<16 && n.Space == "global":
		return fmt.Sprintf("the address %#x is a null pointer, or an offset from one", n.Address)
	case n.ObjectBytes == 0 || size == 0 || object == "" && n.Space == "global":
		return cmp.Or(n.Said, "no memory lies there")
	case object == "":
		object = n.Space + " memory"
	case n.Space == "global":
		object = "buffer " + object
	}
	if n.Offset >= 0 && n.Offset < n.ObjectBytes && n.Offset+size <= n.ObjectBytes {
		return n.Said // of memory that must not be written
	}
	has := n.ObjectBytes / size
	if n.Offset%size != 0 || has == 0 {
		return fmt.Sprintf("%d bytes from byte %d on do not lie in %s, which has %d bytes: the index has no bound that keeps it inside, or one that is too wide", size, n.Offset, object, n.ObjectBytes)
	}
	return fmt.Sprintf("element %d of %s, which has %d elements of %d bytes (0 to %d): %s", n.Offset/size, object, has, size, has-1, pastEnd(n, size, has))
}

// whyOrder says what puts two accesses in no order.
func (s *Session) whyOrder(l *launchPlan, f *check.Finding, n *order.Fact, log *order.Log) string {
	switch n.Kind {
	case order.RaceArrive:
		return fmt.Sprintf("nothing says whether this or %s comes first to a barrier that waits for fewer warps than come: a barrier of its own for each meeting is missing", f.Other.At())
	case order.RaceMix:
		return fmt.Sprintf("threads meet at one barrier with those at %s, of which one reduces and the other does not, or otherwise: what happens is unpredictable", f.Other.At())
	case order.Unfinished:
		return "nobody has waited for what this began, or fenced what it works on: a wait for the group (wgmma.wait_group, tcgen05.wait) is missing"
	case order.Stray:
		return "the CTA of the cluster whose shared memory is accessed may have ended, or not have begun: a barrier.cluster (cluster.sync) is missing"
	case order.Private:
		return "the address is one of another thread's local memory, and leads each thread to its own, or anywhere: what is for others has to lie in shared or global memory"
	case order.Unfenced:
		return "a copy or product of the async proxy reads, or writes over, what threads have stored: a fence.proxy.async between the store and this is missing"
	case order.Stale:
		return "ld.global.nc, a texture or a surface reads what the launch has written: it may see what was there before; a plain load, or another launch, is missing"
	}
	return s.whyRace(l, f, n, log)
}

// whyRace says of a data race what is missing.
func (s *Session) whyRace(l *launchPlan, f *check.Finding, n *order.Fact, log *order.Log) string {
	first, second := f.Other, &f.At
	pair := fmt.Sprintf("between the %s at %s and this %s", first.Does, first.At(), second.Does)
	if n.SameValue {
		pair += " (both orders give the same value)"
	}
	if l.inOneLoop(n) {
		pair += ", in each round of their loop"
	}
	switch {
	case f.Kind == check.Volatile:
		return s.whyVolatile(l, f, n, log)
	case n.A.Async || n.B.Async:
		return l.whyCopy(f, n, pair)
	case f.Kind == check.BenignRace && n.A.Atomic != n.B.Atomic && s.guessed(l, n):
		guess := f.Other
		if guess.Does != "load" {
			guess = &f.At
		}
		return fmt.Sprintf("the load at %s is the first guess of a compare-and-swap, which looks again and goes round once more if it was wrong: nothing gets lost, a volatile load would say so", guess.At())
	case n.A.Strong && n.B.Strong:
		return fmt.Sprintf("both are atomic, or strong, but not for each other (their scope is the CTA, or they access different bytes): a wider scope is missing %s", pair)
	case n.A.Atomic != n.B.Atomic:
		return fmt.Sprintf("only one of the two is atomic: nothing orders them, a barrier or an atomic access is missing %s", pair)
	case losesUpdate(f, n, log):
		return l.whyUpdate(f, n)
	case first.PC == second.PC && n.Kind == order.RaceWrite:
		if n.SameValue {
			return fmt.Sprintf("two threads store the same value at %s in the same place, so that their order does not matter", second.At())
		}
		return fmt.Sprintf("two threads store different values at %s in the same place, and the last one stays: an atomic is missing, or an index that differs between threads", second.At())
	case n.SameWarp:
		return fmt.Sprintf("both threads are of one warp, whose threads nothing keeps in step: no __syncwarp (bar.warp.sync) or barrier %s", pair)
	case n.A.CTA == n.B.CTA:
		return fmt.Sprintf("no barrier (__syncthreads, bar.sync) %s", pair)
	}
	return l.whyApart(n, pair)
}
