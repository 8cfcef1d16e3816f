package manifest

import (
	"fmt"

	"hyptx/internal/strictjson"
)

// New makes a manifest to fill in: one launch of each kernel with a buffer for
// each pointer. What only the user can know is marked as assumed, and [Encode]
// writes a string in its place that [Parse] refuses. The error says which
// parameters leave no value.
func New(name string, kernels []Kernel) (*Manifest, error) {
	m := &Manifest{Name: name}
	var errs strictjson.List
	modules := map[string]*Module{}
	for i, k := range kernels {
		mod := modules[k.Module]
		if mod == nil {
			mod = &Module{Name: k.Module, Files: []string{k.Module}}
			modules[k.Module] = mod
			m.Modules = append(m.Modules, mod)
		}
		a := &assumption{k: k, m: m, scalar: Int(assumedScalar), window: ElasticBytes, elastic: true}
		l := a.launch(mod)
		l.Path, l.Label, l.ByName = strictjson.ElementPath("launches", i), k.Name, true
		l.AssumedGrid, l.AssumedBlock, l.AssumedShared = true, k.ReqThreads == [3]int{}, k.DynamicShared
		for j, q := range k.Params {
			arg := a.arg(j, q, m.freeName(q.Name))
			arg.Path, arg.Key = strictjson.KeyPath(strictjson.KeyPath(l.Path, "args"), q.Name), q.Name
			arg.Type = scalarType(q)
			l.Args = append(l.Args, arg)
		}
		if err := a.Err(); err != nil {
			errs.Add(err)
		}
		m.Steps = append(m.Steps, Step{Path: l.Path, Launch: l})
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return m, nil // without addresses: the sizes are not known
}

// freeName returns a name that no buffer has yet.
func (m *Manifest) freeName(name string) string {
	free := name
	for i := 2; m.Buffer(free) != nil; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	return free
}
