import { z } from 'zod'

const word = z.union([z.string().min(1).max(300), z.number(), z.boolean()]).transform(String)

const words = z
  .array(word)
  .min(1)
  .max(40)
  .transform(list => list.join(', '))

/** Content hashes of base models; null pays adapters over any. */
const bases = z
  .array(z.string().regex(/^0x[0-9a-f]{64}$/))
  .min(1)
  .max(16)
  .nullable()
  .transform(hashes => hashes?.join(', ') ?? 'any')

/** The shown fields of a specification, parsed one by one, so that one unknown form hides no other. */
const shown = {
  Environment: { path: ['name'], schema: word },
  Preset: { path: ['preset'], schema: word },
  Version: { path: ['version'], schema: word },
  'Families of questions': { path: ['families'], schema: words },
  'Stages of a question': { path: ['stages'], schema: word },
  'Tasks in a round': { path: ['tasksPerRound'], schema: word },
  'Answers to a task': { path: ['groupSize'], schema: word },
  'Tokens of an answer, at most': { path: ['solving', 'maxNewTokens'], schema: word },
  Temperature: { path: ['solving', 'temperature'], schema: word },
  'Top-p': { path: ['solving', 'topP'], schema: word },
  Judge: { path: ['judge', 'kind'], schema: word },
  'Judge model': { path: ['judge', 'model'], schema: word },
  'Judge weights': { path: ['judge', 'weightsHash'], schema: word },
  'Base models whose LoRA adapters are paid': { path: ['bases'], schema: bases },
  'Learning rate of LoRA adapters': { path: ['training', 'adapterLearningRate'], schema: word },
  'Learning rate of whole weights': { path: ['training', 'learningRate'], schema: word },
  'Hash on the chain': { path: ['hash'], schema: word },
} as const

/** Rules of an environment as the gateway tells it, which may be anything. */
export function runRules(environment: unknown): { title: string; value: string }[] {
  return Object.entries(shown).flatMap(([title, { path, schema }]) => {
    const value = schema.safeParse(path.reduce(fieldOf, environment))
    return value.success ? [{ title, value: value.data }] : []
  })
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
