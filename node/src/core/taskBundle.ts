import { z } from 'zod'
import { bodyCodec } from './bodyCodec.ts'
import { areNumbered, bundleHeader, indexSchema, lengthsAgree, levelSchema, sampledSequence } from './bodyFields.ts'
import { encodeCanonical } from './canonical.ts'
import { contentId } from './contentId.ts'
import type { Hex } from './hex.ts'
import { type LeafHeader, leafHash } from './leaf.ts'

export const MAX_TASKS = 256
/** Problem and unit tests. RL Swarm limits a proposal to 2,000 characters. */
export const MAX_TASK_CHARACTERS = 4000
export const MAX_TASK_BUNDLE_BYTES = 2 * 1024 * 1024

const taskSchema = z
  .strictObject({
    index: indexSchema,
    level: levelSchema,
    ...sampledSequence,
    /** What the completion says: problem and tests, as solvers read it. */
    text: z.string().min(1).max(MAX_TASK_CHARACTERS),
  })
  .refine(lengthsAgree, 'expected as many completion tokens as log-probabilities')

export const taskBundleSchema = z.strictObject({
  ...bundleHeader,
  level: levelSchema,
  tasks: z.array(taskSchema).min(1).max(MAX_TASKS).refine(areNumbered, 'expected tasks numbered from 0'),
})

/** What a proposer publishes for one round. */
export type TaskBundle = z.output<typeof taskBundleSchema>
export type Task = TaskBundle['tasks'][number]

const codec = bodyCodec(taskBundleSchema, MAX_TASK_BUNDLE_BYTES)
export const encodeTaskBundle = codec.encode
export const decodeTaskBundle = codec.decode

/** The identity of a problem, whoever proposed it and however it was sampled. */
export function taskHash(task: Pick<Task, 'level' | 'text'>): Hex {
  return contentId(encodeCanonical({ level: task.level, text: task.text }))
}

/** What a task's leaf binds: what is shown to the chain of it. */
export function taskHeader(
  { chainId, round, peerKey, policyHash }: Omit<TaskBundle, 'tasks'>,
  { index, ...body }: Task,
): LeafHeader {
  const bodyHash = contentId(encodeCanonical(body))
  return { chainId, round, peerKey, index, taskHash: taskHash(body), policyHash, seed: body.seed, bodyHash }
}

/** One leaf a task, in order. */
export function taskLeaves(bundle: TaskBundle): Hex[] {
  return bundle.tasks.map(task => leafHash(taskHeader(bundle, task)))
}
