import { existsSync } from 'node:fs'
import { appendFile, readFile, truncate } from 'node:fs/promises'
import { z } from 'zod'
import { DatasetTasksError } from './datasetTasksError.ts'
import type { TaskOutcome } from './evaluateTasks.ts'

const outcomeSchema = z.strictObject({
  id: z.string(),
  place: z.string(),
  verdicts: z.array(z.enum(['pass', 'fail', 'error', 'timeout'])).min(1),
  answers: z.array(z.string()),
})

type KeptOutcomes = {
  readonly found: ReadonlyMap<string, TaskOutcome>
  keep(outcome: TaskOutcome): Promise<void>
}

/**
 * A file of outcomes: a first line of settings, then one JSON object per line. A line truncated by a crash is dropped.
 *
 * @param settings - everything that outcomes depend on.
 * @throws {DatasetTasksError} if the file has other settings.
 */
export async function openOutcomes(path: string, settings: Readonly<Record<string, unknown>>): Promise<KeptOutcomes> {
  const head = `${JSON.stringify({ waggleEval: 1, settings })}\n`
  const found = new Map<string, TaskOutcome>()
  if (!existsSync(path)) await appendFile(path, head)
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
  if (`${lines[0]}\n` !== head)
    throw new DatasetTasksError(
      `${path} has outcomes of a run with other options or files: ${lines[0]?.slice(0, 300)}.`,
      { hint: 'Name another file with --out, or give the options of that run and the files that it read.' },
    )
  let whole = Buffer.byteLength(head)
  for (const line of lines.slice(1)) {
    const { success, data } = outcomeSchema.safeParse(parsed(line))
    if (!success) break
    found.set(data.place, data)
    whole += Buffer.byteLength(line) + 1
  }
  await truncate(path, whole)
  return { found, keep: outcome => appendFile(path, `${JSON.stringify(outcome)}\n`) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null // the schema refuses it
  }
}
