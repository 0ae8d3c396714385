import type { BenchRow } from './row.ts'

export const rows: readonly BenchRow[] = []
