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

/** Result of a row of `npm run chaos`. */
export type Row = { name: string; value: number; unit: string; bar: number; ok: boolean }
