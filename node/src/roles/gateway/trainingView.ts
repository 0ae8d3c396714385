import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { JOURNAL_FILE } from '#store/openDatabase.ts'
import { RUN, type RunNote, runSchema } from '../metrics/runNote.ts'
import { TRAINING_FILE } from '../metrics/trainingLog.ts'
import { readConnections } from '../reports/readConnections.ts'
import { readJournal } from '../reports/readJournal.ts'

/** Steps that a page is told, the newest. */
const MAX_STEPS = 300
/** Of the file's end: some hundred steps, each of one to three kB. */
const TAIL_BYTES = 2 ** 20

const figure = z.number().nullable()

/** What a page is told of a step; the rest of its line is the operator's alone. */
const stepSchema = z.object({
  at: z.iso.datetime(),
  round: z.int().min(0),
  /** Of the groups that it was on, those of this solver; the others are of other peers. */
  ownGroups: z.int().min(0),
  groups: z.int().min(0),
  reward: z.number(),
  passAt1: z.number(),
  loss: figure,
  kl: figure,
  entropy: figure,
  tokens: z.number().min(0),
  seconds: z.number().min(0),
  failure: z.string().max(1_000).nullable(),
})

type ShownStep = z.infer<typeof stepSchema>
type TrainingView = RunNote & {
  /** When the peer said last that it runs; null where it never did. */
  aliveAtMs: number | null
  /** Oldest first. */
  steps: ShownStep[]
}

/**
 * What a solver in one of these folders learned lately, by its own word; null where none of them has that key.
 *
 * @param folders - of the operator's own peers, which may be running.
 */
export async function trainingView(folders: readonly string[], peerKey: string): Promise<TrainingView | null> {
  for (const folder of folders) {
    const run = readRun(folder)
    if (run?.peerKey !== peerKey) continue
    const aliveAtMs = readConnections(join(folder, JOURNAL_FILE))?.atMs ?? null
    return { ...run, aliveAtMs, steps: await readSteps(join(folder, TRAINING_FILE)) }
  }
  return null
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
