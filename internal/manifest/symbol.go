package manifest

import (
	"math"

	"hyptx/internal/strictjson"
)

// SymbolRef names a place in a module-scope variable.
type SymbolRef struct {
	Path   string
	Module *Module
	Name   string
	Offset int64
}

// Symbol is a module-scope variable that is written before the first step, or
// a texture, surface or sampler reference that is bound.
type Symbol struct {
	SymbolRef
	// Init is nil if something is bound.
	Init *Init
	// Bind is "texture", "surface" or "sampler", Target the entry of
	// "textures"; both empty if Init is there.
	Bind   string
	Target string
}

func (r *reader) symbolsOf(o object) {
	for i, n := range o.Elements("symbols") {
		path := strictjson.ElementPath("symbols", i)
		so, ok := r.object(n, path, "module", "name", "init", "texture", "surface", "sampler")
		if !ok {
			continue
		}
		key, ok := so.One("init", "texture", "surface", "sampler")
		ref, ok2 := so.symbolRef(nil)
		if !ok || !ok2 {
			continue
		}
		s := &Symbol{SymbolRef: ref}
		if key == "init" {
			if s.Init = r.init(so.Get("init"), so.At("init")); s.Init == nil {
				continue
			}
			r.checkPointers(s.Init)
		} else {
			s.Bind, s.Target = key, so.texture(key)
		}
		r.m.Symbols = append(r.m.Symbols, s)
	}
}

// symbolRef reads module, name and offset. Without a module it is the one
// given or, if that is nil, the only one of the manifest.
func (o object) symbolRef(module *Module) (SymbolRef, bool) {
	ref := SymbolRef{Path: o.Path, Module: module}
	switch {
	case o.Has("module"):
		ref.Module = o.module("module")
	case module != nil:
	case len(o.r.m.Modules) == 1:
		ref.Module = o.r.m.Modules[0]
	default:
		o.Missing("module")
	}
	var ok1, ok2 bool
	ref.Name, ok1 = o.name("name")
	ref.Offset, ok2 = o.Integer("offset", 0, math.MaxInt64, 0)
	return ref, ref.Module != nil && ok1 && ok2
}

// symbolAt reads the reference at a key.
func (o object) symbolAt(key string, module *Module) (SymbolRef, bool) {
	so, ok := o.r.object(o.Get(key), o.At(key), "module", "name", "offset")
	if !ok {
		return SymbolRef{}, false
	}
	return so.symbolRef(module)
}
