import type { BenchRow } from '../../measure/row.ts'
import { betRows } from './bets.ts'
import { coldStartRows } from './coldStart.ts'
import { graphqlRows } from './graphql.ts'
import { joinRows } from './join.ts'
import { pageRows } from './pages.ts'
import { roundPageRows } from './roundPage.ts'

/** Rows of the product as users see it, one module per subject. */
export const rows: readonly BenchRow[] = [
  ...[...coldStartRows, ...joinRows],
  ...[...roundPageRows, ...pageRows, ...graphqlRows, ...betRows],
]
