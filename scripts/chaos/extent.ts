/** How long a run is. */
export type Extent = {
  /** Settled rounds that the swarm reaches while it is harmed. */
  rounds: number
  roundSeconds: number
  kills: number
}

/** As the bars ask for: a kill every twelve seconds. */
export const WHOLE: Extent = { rounds: 30, roundSeconds: 40, kills: 100 }
/** In five minutes on a machine with nothing else to do. */
export const QUICK: Extent = { rounds: 4, roundSeconds: 15, kills: 10 }

/** What a row of `npm run chaos` found. */
export type Row = { name: string; value: number; unit: string; bar: number; ok: boolean }
