import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkEnvironment, checkKind, checkSpec } from '#environments/checkEnvironment.ts'
import type { EnvironmentKind, EnvironmentRequest } from '#environments/environmentKind.ts'
import { openJudge } from './openModels.ts'

type CheckedModule = {
  /** One sentence each, with the remedy. */
  findings: string[]
  /** Hash of the specification that it describes; null if it describes none. */
  hash: string | null
}

/** Findings about the kind of environment that a module exports. Runs its code. */
export async function checkEnvironmentModule(path: string, request: EnvironmentRequest): Promise<CheckedModule> {
  const said = (step: string) => (error: unknown) => `${step}: threw ${error instanceof Error ? error.message : error}`
  let kind: EnvironmentKind
  try {
    kind = (await import(pathToFileURL(resolve(path)).href)).kind
  } catch (error) {
    return { findings: [said('The module')(error)], hash: null }
  }
  const shape = checkKind(kind)
  if (shape.length > 0) return { findings: shape, hash: null }
  let step = 'describe'
  try {
    const { spec, hash } = await kind.describe(request)
    const findings = checkSpec(kind, spec)
    step = 'load'
    const environment = await kind.load(spec, request)
    if (environment.hash !== hash) findings.push('load: the environment has another hash than its specification.')
    step = 'openJudge'
    const { judge, close } = await openJudge(environment, { threads: request.threads, crashed: () => {} })
    const more = await checkEnvironment(environment, judge).finally(close)
    return { findings: [...findings, ...more], hash }
  } catch (error) {
    return { findings: [said(step)(error)], hash: null }
  }
}
