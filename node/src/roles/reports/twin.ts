import { z } from 'zod'
import type { Chain } from '#chain/openChain.ts'
import type { Clock } from '#core/clock.ts'
import type { ContentId } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Identity } from '#store/identity.ts'
import type { Journal } from '#store/journal.ts'
import { readJournal } from './readJournal.ts'

/** The journal's state with the twin, for commands that run while the peer does. */
const TWIN = 'twin'

/** Another process that runs with this peer's keys, such as the machine that a backup was made on. */
export type Twin = { sinceMs: number; lastMs: number; evidence: string }

/** A twin that was not seen for so long counts as ended: it announces its addresses once a minute. */
export const TWIN_FOR_MS = 30 * 60_000
const NOTE_EVERY_MS = 30_000

export const TWIN_ADVICE =
  'Stop one of the two: they send from one account, and their commitments replace each other. If the other is not yours, your keys are ' +
  'known to somebody: start a peer with new ones.'

export type TwinWatch = {
  /** Records evidence that only another process with our keys can have made. */
  seen(evidence: string): void
  /** Null if there is none, or no sign of it for half an hour. */
  current(): Twin | null
}

type Modules = { journal: Pick<Journal, 'setState'>; clock: Clock; logger: Logger }

/** Warns once of a twin, and again if one comes back later. */
export function createTwinWatch({ journal, clock, logger }: Modules): TwinWatch {
  let twin: Twin | null = null
  let notedMs = Number.NEGATIVE_INFINITY
  const current = () => (twin !== null && clock.nowMs() - twin.lastMs < TWIN_FOR_MS ? twin : null)

  function note(now: Twin): void {
    if (now.lastMs - notedMs < NOTE_EVERY_MS) return
    notedMs = now.lastMs
    try {
      journal.setState(TWIN, now)
    } catch (error) {
      // The disk guard reports a full disk.
      logger.debug('a twin could not be noted', { error })
    }
  }
  return {
    current,
    seen(evidence) {
      const [before, lastMs] = [current(), clock.nowMs()]
      if (before === null) logger.warn('runs twice: another process has its keys', { evidence, advice: TWIN_ADVICE })
      twin = { sinceMs: before?.sinceMs ?? lastMs, lastMs, evidence }
      note(twin)
    },
  }
}

const COMMITTED = 'committed'

/** Notes what this process commits, before it is sent. */
export function noteCommitted(journal: Pick<Journal, 'get' | 'set'>, round: number, contentId: ContentId): void {
  const before = ownCommitments(journal, round)
  if (!before.includes(contentId)) journal.set(round, COMMITTED, [...before, contentId])
}

/** Whether this peer has sent a commitment of the round, or was about to. */
export const hasCommitted = (journal: Pick<Journal, 'get'>, round: number) => ownCommitments(journal, round).length > 0

const ownCommitments = (journal: Pick<Journal, 'get'>, round: number) =>
  (journal.get(round, COMMITTED) ?? []) as ContentId[]

type Watching = {
  chain: Pick<Chain, 'readRolloutCommitments'>
  identity: Identity
  journal: Journal
  logger: Logger
  twin: TwinWatch
}

/** Reports a commitment of our key that this process did not make, in a round that it has seen from its beginning. Never throws. */
export async function watchCommitment(node: Watching, round: number): Promise<void> {
  const { chain, identity, journal, logger, twin } = node
  try {
    const found = (await chain.readRolloutCommitments(round)).find(({ peerKey }) => peerKey === identity.peerKey)
    if (found !== undefined && !ownCommitments(journal, round).includes(found.contentId))
      twin.seen(`it committed other answers to round ${round}`)
  } catch (error) {
    logger.debug('own commitment could not be read', { round, error })
  }
}

const twinSchema = z.object({ sinceMs: z.number(), lastMs: z.number(), evidence: z.string() })

/**
 * Another process that runs with this peer's keys, as the peer found it within the last half hour; null if there is none.
 *
 * @param path - the journal's file, which exists.
 * @throws {JournalUnusableError} if it cannot be read.
 */
export function readTwin(path: string, nowMs: number): Twin | null {
  const kept = readJournal(path, db => db.prepare('SELECT value FROM state WHERE key = ?').get(TWIN))
  const parsed = twinSchema.safeParse(kept && JSON.parse(String(kept.value)))
  return parsed.success && nowMs - parsed.data.lastMs < TWIN_FOR_MS ? parsed.data : null
}
