// Package replay runs traces under policies: it builds the machine, lets the
// observers watch, compares several policies side by side and audits what they
// did. One run is trace -> model -> observers.
package replay
