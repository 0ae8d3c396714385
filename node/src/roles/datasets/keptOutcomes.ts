import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { z } from 'zod'
import { writeFileAtomic } from '#base/writeFileAtomic.ts'
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
 * A file of outcomes: a first line of settings, then one JSON object per line. What a crash left of a line at the end is dropped.
 *
 * @param settings - everything that outcomes depend on.
 * @throws {DatasetTasksError} if the file has other settings, or a damaged line: the outcomes after it would be lost.
 */
export async function openOutcomes(path: string, settings: Readonly<Record<string, unknown>>): Promise<KeptOutcomes> {
  const head = `${JSON.stringify({ waggleEval: 1, settings })}\n`
  const kept = existsSync(path) ? await readFile(path, 'utf8') : ''
  // A crash may leave a part of the first line, too.
  const whole = head.startsWith(kept) ? head : kept.slice(0, kept.lastIndexOf('\n') + 1)
  const [first, ...lines] = whole.split('\n').slice(0, -1)
  if (`${first}\n` !== head)
    throw new DatasetTasksError(
      `${path} has ${first === undefined ? 'no outcomes' : `outcomes of a run with other options or files: ${first.slice(0, 300)}`}.`,
      { hint: 'Name another file with --out, or give the options of that run and the files that it read.' },
    )
  const found = new Map<string, TaskOutcome>()
  for (const [at, line] of lines.entries()) {
    const { success, data } = outcomeSchema.safeParse(parsed(line))
    if (!success)
      throw new DatasetTasksError(`${path} is damaged in line ${at + 2}.`, {
        hint: 'Delete that line to have its task answered again, or name another file with --out.',
      })
    found.set(data.place, data)
  }
  if (whole !== kept) await writeFileAtomic(path, whole)
  return { found, keep: outcome => appendFile(path, `${JSON.stringify(outcome)}\n`) }
}

/** @throws {DatasetTasksError} if no file can be written there: known before hours of work, not after them. */
export async function checkWritable(path: string): Promise<void> {
  await appendFile(path, '').catch(cause => {
    throw new DatasetTasksError(`${path} cannot be written.`, { hint: 'Name a file in a folder that exists.', cause })
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null // the schema refuses it
  }
}
