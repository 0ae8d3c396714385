import type { RowResult } from '../measure/row.ts'

/** Length of a run. */
export type Extent = {
  /** Settled rounds that the swarm reaches while it is harmed. */
  rounds: number
  roundSeconds: number
  kills: number
}

/** As the bars ask for: a kill every twelve seconds. */
export const WHOLE: Extent = { rounds: 30, roundSeconds: 40, kills: 100 }
/** In seven minutes. Shorter rounds leave no time for votes once a beacon waits for three blocks. */
export const QUICK: Extent = { rounds: 4, roundSeconds: 20, kills: 10 }

/** All rows, in the order in which they are kept. */
export const chaosRowNames = [
  { name: 'chaos-kills', better: 'more' },
  { name: 'audit-lies-found', better: 'more' },
] as const

/** Result of a row of `npm run chaos`. */
export type Row = RowResult & { name: (typeof chaosRowNames)[number]['name']; value: number; bar: number }
