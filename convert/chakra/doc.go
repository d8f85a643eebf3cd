// Package chakra reads Chakra execution traces of MLCommons: operators with
// their dependences, as length-delimited protobuf messages (.et) or as the JSON
// that Chakra's tools print from them.
package chakra
