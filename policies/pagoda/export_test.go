package pagoda

// Nodes returns the length of the mark array: 128 for 32 KB in 512 B blocks.
func (b *Buddy) Nodes() int { return len(b.marks) }

// Offset returns where a node's block begins in the pool, in bytes.
func (b *Buddy) Offset(n Node) int { return (int(n) - 1<<depth(n)) * b.Size(n) }

// Marked reports whether a node is marked.
func (b *Buddy) Marked(n Node) bool { return b.marks[n] }

// Shared returns the allocator, to be looked at only.
func (m *MTB) Shared() *Buddy { return m.shared }

// Columns returns the MTBs of the table.
func (t *Table) Columns() int { return t.columns }

// Room returns how many entries are free by the CPU's copy.
func (t *Table) Room() int { return t.nfree }

// Quiet reports whether a scan of the column would change nothing.
func (t *Table) Quiet(column int) bool { return t.quiet(column, 0) }
