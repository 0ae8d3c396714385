import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { RUN, type RunNote, runSchema } from '../metrics/runNote.ts'
import { TRAINING_FILE } from '../metrics/trainingLog.ts'
import { readConnections } from '../reports/readConnections.ts'
import { readJournal } from '../reports/readJournal.ts'

/** Number of newest steps for a page. */
const MAX_STEPS = 300
/** Bytes that are read from the end of the file: several hundred steps, each of one to three kB. */
const TAIL_BYTES = 2 ** 20

const figure = z.number().nullable()

/** The public part of a step; the rest of its line is for the operator. */
const stepSchema = z.object({
  at: z.iso.datetime(),
  round: z.int().min(0),
  /** Number of groups of this solver; the others are of other peers. */
  ownGroups: z.int().min(0),
  groups: z.int().min(0),
  /** Key of the peer whose groups they are, where they are of one other. */
  peer: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .nullable(),
  reward: z.number(),
  passAt1: z.number(),
  /** Share of a proposer's candidates that became proposals; null for answers. */
  validShare: figure.default(null),
  loss: figure,
  kl: figure,
  entropy: figure,
  tokens: z.number().min(0),
  seconds: z.number().min(0),
  failure: z.string().max(1_000).nullable(),
})

type ShownStep = z.infer<typeof stepSchema>
type TrainingView = RunNote & {
  /** When the peer last reported that it runs; null if it never did. */
  aliveAtMs: number | null
  /** Oldest first. */
  steps: ShownStep[]
}

type Modules = { clock: Clock; logger: Logger }
type Found = { folder: string; run: RunNote; view?: Promise<TrainingView> }

/** Cache time: many readers cost no more than one, whatever keys they request. */
const FRESH_MS = 5_000

/**
 * Recent training of a peer in one of these folders, as it reports; null if none of them has that key. An unreadable folder does not hide
 * the others.
 *
 * @param folders - of the operator's own peers, which may be running.
 */
export function createTrainingView(folders: readonly string[], { clock, logger }: Modules) {
  let found = new Map<string, Found>()
  let readAtMs = Number.NEGATIVE_INFINITY

  function runOf(folder: string): RunNote | null {
    try {
      return readRun(folder)
    } catch (error) {
      logger.warn('figures of a peer cannot be read', { folder, error })
      return null
    }
  }
  return async (peerKey: string): Promise<TrainingView | null> => {
    // Also after a clock was set back.
    if (Math.abs(clock.nowMs() - readAtMs) >= FRESH_MS) {
      readAtMs = clock.nowMs()
      // The first folder of a key counts.
      found = new Map(
        [...folders].reverse().flatMap(folder => {
          const run = runOf(folder)
          return run === null ? [] : [[run.peerKey, { folder, run }]]
        }),
      )
    }
    const one = found.get(peerKey)
    if (one === undefined) return null
    one.view ??= viewOf(one)
    return one.view
  }
}

async function viewOf({ folder, run }: Found): Promise<TrainingView> {
  const aliveAtMs = readConnections(join(folder, JOURNAL_FILE))?.atMs ?? null
  return { ...run, aliveAtMs, steps: await readSteps(join(folder, TRAINING_FILE)) }
}

function readRun(folder: string): RunNote | null {
  const path = join(folder, JOURNAL_FILE)
  if (!existsSync(path)) return null
  const kept = readJournal(path, db => db.prepare('SELECT value FROM state WHERE key = ?').get(RUN))
  const parsed = runSchema.safeParse(kept && JSON.parse(String(kept.value)))
  return parsed.success ? parsed.data : null
}

/** The newest steps of a file that another process may be writing. A line that does not fit, or is not yet whole, is left out. */
async function readSteps(path: string): Promise<ShownStep[]> {
  if (!existsSync(path)) return []
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n')
    return lines.flatMap(stepOf).slice(-MAX_STEPS)
  } finally {
    await file.close()
  }
}

function stepOf(line: string): ShownStep[] {
  try {
    const parsed = stepSchema.safeParse(JSON.parse(line))
    return parsed.success ? [parsed.data] : []
  } catch {
    return []
  }
}
