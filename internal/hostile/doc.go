// Package hostile damages files, also with right checksums, and kills commands at random. Its tests do so a few times,
// and by flag often:
//
//	go test ./internal/hostile -seed=7 -damages=8000 -kills=200 -reseal=1h -timeout=2h -v
package hostile
