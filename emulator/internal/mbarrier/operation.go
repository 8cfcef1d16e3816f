package mbarrier

import "hyptx/ir/isa"

// Operation changes an object by a count; it returns what is wrong.
type Operation func(b *Object, count int64) (wrong string)

// Of returns the operation of an instruction that changes an object.
func Of(x *isa.Inst) Operation {
	switch x.Op {
	case isa.OpMbarrierInit:
		return initialise
	case isa.OpMbarrierInval:
		return invalidate
	case isa.OpMbarrierExpectTx:
		return expectTx
	case isa.OpMbarrierCompleteTx:
		return CompleteTx
	}
	op := Operation(arrive)
	switch {
	case x.Op == isa.OpCpAsyncMbarrierArrive && !x.Has(isa.ModNoinc): // one more is expected, and comes
		return func(*Object, int64) string { return "" }
	case x.Has(isa.ModExpectTx):
		op = func(b *Object, bytes int64) string {
			b.Tx += bytes
			return arrive(b, 1)
		}
	case x.Has(isa.ModNoComplete):
		op = arriveOnly
	}
	if x.Op == isa.OpMbarrierArriveDrop {
		return dropping(op, x.Has(isa.ModExpectTx))
	}
	return op
}

// dropping makes of an arrival the last one: those that arrive so are not
// expected in later phases. With .expect_tx the count is bytes, and one arrives.
func dropping(op Operation, one bool) Operation {
	return func(b *Object, count int64) string {
		if one {
			b.Expected--
		} else {
			b.Expected -= count
		}
		return op(b, count)
	}
}

func initialise(b *Object, count int64) string {
	*b = Object{Expected: count, Pending: count}
	if count < 1 {
		return "an mbarrier expects at least one arrival"
	}
	return ""
}

func invalidate(b *Object, _ int64) string {
	*b = Object{}
	return ""
}

func expectTx(b *Object, bytes int64) string {
	b.Tx += bytes
	return ""
}

// CompleteTx is what a copy that is done does to an object: a count of bytes.
func CompleteTx(b *Object, bytes int64) string {
	b.Tx -= bytes
	b.complete()
	return ""
}

func arrive(b *Object, count int64) string {
	if count < 1 || count > b.Pending {
		return "more arrivals at an mbarrier than it expects in this phase"
	}
	b.Pending -= count
	b.complete()
	return ""
}

// arriveOnly is .noComplete: an arrival that must not complete the phase.
func arriveOnly(b *Object, count int64) string {
	if count >= b.Pending {
		return "mbarrier .noComplete would complete the phase"
	}
	return arrive(b, count)
}
