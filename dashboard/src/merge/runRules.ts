import { z } from 'zod'

/** What is shown of a specification; each field by itself, so that one of an unknown form hides no other. */
const shown = {
  Environment: ['name'],
  Preset: ['preset'],
  Version: ['version'],
  'Tasks in a round': ['tasksPerRound'],
  'Answers to a task': ['groupSize'],
  'Tokens of an answer, at most': ['solving', 'maxNewTokens'],
  Temperature: ['solving', 'temperature'],
  'Top-p': ['solving', 'topP'],
  'Judge model': ['judge', 'kind'],
  'Hash on the chain': ['hash'],
} as const

const word = z.union([z.string().min(1).max(100), z.number(), z.boolean()])

/** Rules of an environment as the gateway tells it, which may be anything. */
export function runRules(environment: unknown): { title: string; value: string }[] {
  return Object.entries(shown).flatMap(([title, path]) => {
    const value = word.safeParse(path.reduce(fieldOf, environment))
    return value.success ? [{ title, value: String(value.data) }] : []
  })
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
