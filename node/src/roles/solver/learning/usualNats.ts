import type { Journal } from '#store/journal.ts'

/** Nats a token of this solver's last own answers, kept in the journal: what answers of others are compared with until the next ones are sampled. */
export type UsualNats = {
  /** Null before the first own answers. */
  now(): number | null
  /** At the end of a round. */
  note(nats: number): void
}

const KEY = 'own nats'

export function createUsualNats({ journal }: { journal: Journal }): UsualNats {
  return {
    now: () => (journal.getState(KEY) as number | undefined) ?? null,
    note: nats => journal.setState(KEY, nats),
  }
}
