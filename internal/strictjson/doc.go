// Package strictjson reads JSON that people write, and says what is wrong with
// it: the file, the line and column of what is no JSON, and for all else the
// path of the value (launches[3].args[1]).
//
// Package encoding/json forgets what such messages need: the order of keys, the
// digits of numbers, keys that stand twice or that nobody reads. [Parse] makes a
// tree that keeps them ([Node]); an [Object] reads one of its objects key by
// key; a [List] gathers all errors instead of the first. Where the form of a
// file is a Go struct, [Into] fills it with the same strictness.
//
// What a file may hold is the caller's to say: this package knows neither
// manifests nor GPUs. Nothing in a file makes it panic, hang or take more than
// the [Limits] allow.
//
// Start at [Parse].
package strictjson
