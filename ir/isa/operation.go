package isa

import (
	"fmt"
	"strings"
)

// operation is what the table says of an opcode in all its forms. Each family's
// file declares the family's opcodes, then their operations, then their rows.
type operation struct {
	op Op
	// name are the opcode's words, "cp.async".
	name  string
	does  behaviour
	unit  Unit
	power Power
	cost  Cost
}

// behaviour are the columns that many operations share. memory is Access in
// words.
type behaviour struct {
	flow   Flow
	memory string
	lanes  Lanes
	sync   Sync
	state  State
}

// The behaviours that are found often; what has its own writes it out.
var (
	computes  = behaviour{FlowNext, "none", lanesOwn, syncNone, stateNone}
	carries   = behaviour{FlowNext, "none", lanesOwn, syncNone, readsCarry}
	fetches   = behaviour{FlowNext, "object reads", lanesOwn, syncNone, stateNone}
	loads     = behaviour{FlowNext, "reads", lanesOwn, syncNone, stateNone}
	stores    = behaviour{FlowNext, "writes", lanesOwn, syncNone, stateNone}
	updates   = behaviour{FlowNext, "updates", lanesOwn, syncNone, stateNone}
	hints     = behaviour{FlowNext, "touches", lanesOwn, syncNone, stateNone}
	exchanges = behaviour{FlowNext, "none", LanesExchange, syncLanes, stateNone}
	gathers   = behaviour{FlowNext, "none", LanesExchange, syncNone, stateNone} // from the lanes of a warp that execute together
	orders    = behaviour{FlowNext, "none", lanesOwn, SyncFence, stateNone}
	pauses    = behaviour{FlowNext, "none", lanesOwn, syncPause, stateNone}
	groups    = behaviour{FlowNext, "none", lanesOwn, syncCopies, stateNone}
	meets     = behaviour{FlowNext, "none", LanesCTA, SyncCTA, stateNone}
	arrives   = behaviour{FlowNext, "updates", LanesCTA, SyncObject, stateNone}
	asks      = behaviour{FlowNext, "updates", LanesCTA, SyncPhase, stateNone}
	acts      = behaviour{FlowNext, "none", lanesOwn, syncNone, writesMachine}
)

// flows returns the behaviour of an instruction that directs control.
func flows(f Flow) behaviour { return behaviour{f, "none", lanesOwn, syncNone, stateNone} }

// missing names the first column that says nothing, "" if all do.
func (o *operation) missing() string {
	switch d := &o.does; {
	case o.name == "":
		return "name"
	case d.flow == noFlow:
		return "flow"
	case d.memory == "":
		return "memory"
	case d.lanes == noLanes:
		return "lanes"
	case d.sync == noSync:
		return "sync"
	case d.state == noState:
		return "state"
	case o.unit == noUnit:
		return "unit"
	case o.power == noPower:
		return "power"
	case !o.cost.complete():
		return "cost"
	}
	return ""
}

// complete reports whether a cost has the numbers that its rule needs, each
// with its source.
func (c *Cost) complete() bool {
	switch c.Rule {
	case noCost:
		return false
	case CostSteps, CostDivide:
		for i := range c.Steps {
			if c.Steps[i].Special != 1 || c.Steps[i].Source == "" {
				return false
			}
		}
		return len(c.Steps) > 0
	}
	return c.Short > 0 && c.Wide >= c.Short && c.Source != ""
}

// columns sets the columns of a form that come of its operation.
func (p *rowParser) columns() {
	f, o := p.form, operations[p.form.Op]
	f.Flow, f.Lanes, f.Sync, f.State = o.does.flow, o.does.lanes, o.does.sync, o.does.state
	f.Power, f.Cost, f.Unit = o.power, &o.cost, o.unit
	if f.Unit == byClass {
		f.Unit = classUnits[f.Class]
	}
	if f.Unit == noUnit {
		p.bug("class %s decides nothing about the unit", f.Class)
	}
	if err := f.parseMemory(o.does.memory); err != nil {
		p.bug("%v", err)
	}
}

// parseMemory reads the memory column. An operation may address less in some of
// its forms, not more.
func (f *Form) parseMemory(text string) error {
	addresses := 0
	for i := range f.Operands {
		if f.Operands[i].Kind == Address {
			addresses++
		}
		f.Results = f.Results || f.Operands[i].Write
	}
	object := false
	for word := range strings.FieldsSeq(text) {
		a, ok := accessWords[word]
		switch {
		case word == "object":
			object = true
		case object && ok:
			f.Object, object = a, false
		case word == "async":
			f.Async = true
		case word == "anywhere":
			f.Anywhere = true
		case word == "unseen":
			f.Unseen = true
		case word == "apart":
			f.Apart = !f.Async || addresses > 1
		case word == "bulk":
			f.Bulk = true
		case word == "matrices":
			f.Matrices = true
		case strings.HasPrefix(word, "tensor-"):
			f.Tensor = accessWords[strings.TrimPrefix(word, "tensor-")]
		case ok:
			f.Memory = append(f.Memory, a)
		case word != "none":
			return fmt.Errorf("memory: what is %q?", word)
		}
	}
	if len(f.Memory) < addresses {
		return fmt.Errorf("memory: nothing is said of address %d", len(f.Memory)+1)
	}
	f.Memory = f.Memory[:addresses]
	return nil
}
