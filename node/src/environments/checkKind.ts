import type { EnvironmentKind } from './environmentKind.ts'
import { type EnvironmentSpec, environmentHash } from './environmentSpec.ts'

const functions = ['judgeOf', 'load', 'describe'] as const

/** What is wrong with the `kind` that a module exports; nothing if it can be used. */
export function checkKind(kind: unknown): string[] {
  if (typeof kind !== 'object' || kind === null)
    return ['The module exports no kind: add `export const kind: EnvironmentKind<YourSpec> = { … }`.']
  const { schema, needsJudge } = kind as Partial<EnvironmentKind>
  const findings = functions
    .filter(name => typeof (kind as Record<string, unknown>)[name] !== 'function')
    .map(name => `kind.${name} is not a function: see EnvironmentKind.`)
  if (typeof schema?.parse !== 'function') findings.push('kind.schema is not a zod schema: give z.strictObject({ … }).')
  if (typeof needsJudge !== 'boolean') findings.push('kind.needsJudge is missing: say whether a frozen model judges.')
  return findings
}

/** What is wrong with a specification that a kind described. */
export function checkSpec({ schema }: EnvironmentKind, spec: EnvironmentSpec): string[] {
  const findings: string[] = []
  const read = (value: unknown) => schema.safeParse(value)
  const again = read(JSON.parse(JSON.stringify(spec)))
  if (!again.success) findings.push(`describe: its own schema refuses the specification: ${again.error.message}`)
  else if (environmentHash(again.data) !== environmentHash(spec))
    findings.push(
      'describe: the hash changes when the specification is written as JSON and read back: give every field a value.',
    )
  if (read({ ...spec, unheardOf: 1 }).success)
    findings.push('schema: a field that nobody knows is accepted: use z.strictObject, or two files of one hash differ.')
  if (read({ ...spec, name: 'another' }).success)
    findings.push('schema: any name is accepted: use z.literal, since the name tells which kind a specification is of.')
  if (read({ ...spec, tasksPerRound: 0 }).success)
    findings.push('schema: tasksPerRound 0 is accepted: spread commonFields into it.')
  const { owedLeaves, sampledLeaves, tasksPerRound, groupSize } = spec
  if (owedLeaves !== tasksPerRound * groupSize)
    findings.push(
      `describe: owedLeaves is ${owedLeaves}: make it tasksPerRound * groupSize, ${tasksPerRound * groupSize}.`,
    )
  if (sampledLeaves > owedLeaves)
    findings.push(`describe: sampledLeaves is ${sampledLeaves}: no more than the owed ${owedLeaves} can be drawn.`)
  return findings
}
