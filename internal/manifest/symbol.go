package manifest

import "hyptx/internal/strictjson"

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
		so, ok := r.object(n, strictjson.ElementPath("symbols", i), "module", "name", "init", "texture", "surface", "sampler")
		if !ok {
			continue
		}
		key, ok := so.One("init", "texture", "surface", "sampler")
		s := &Symbol{SymbolRef: so.symbolRef(nil)}
		switch {
		case !ok:
		case key == "init":
			s.Init = r.init(so.Get("init"), so.At("init"))
			r.checkPointers(s.Init)
		default:
			s.Bind, s.Target = key, so.texture(key)
		}
		r.m.Symbols = append(r.m.Symbols, s)
	}
}

// symbolRef reads module, name and offset. Without a module it is the one
// given or, if that is nil, the only one of the manifest. Whether the module has
// such a variable, and how large it is, is found out when arguments are packed.
func (o object) symbolRef(module *Module) SymbolRef {
	switch {
	case o.Has("module"):
		module = o.module("module")
	case module != nil:
	case len(o.r.m.Modules) == 1:
		module = o.r.m.Modules[0]
	default:
		o.Missing("module")
	}
	return SymbolRef{Path: o.Path, Module: module, Name: o.name("name"), Offset: o.offset()}
}

// symbolAt reads the reference at a key.
func (o object) symbolAt(key string, module *Module) SymbolRef {
	so, ok := o.r.object(o.Get(key), o.At(key), "module", "name", "offset")
	if !ok {
		return SymbolRef{}
	}
	return so.symbolRef(module)
}
