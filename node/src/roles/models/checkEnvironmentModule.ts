import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkEnvironment, checkKind, checkSpec } from '#environments/checkEnvironment.ts'
import type { ChatFolders, EnvironmentKind, EnvironmentRequest } from '#environments/environmentKind.ts'
import { type EnvironmentSpec, environmentHash } from '#environments/environmentSpec.ts'
import { openJudge } from './openModels.ts'

type CheckedModels = ChatFolders & { threads: number }

type CheckedModule = {
  /** One sentence each, with the remedy. */
  findings: string[]
  /** Hash of the specification that it describes; null if it describes none. */
  hash: string | null
}

/** Findings about the kind of environment that a module exports. Runs its code. */
export async function checkEnvironmentModule(path: string, request: EnvironmentRequest): Promise<CheckedModule> {
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
    return { findings: [...findings, ...(await checkLoaded(kind, spec, hash, request))], hash }
  } catch (error) {
    return { findings: [said(step)(error)], hash: null }
  }
}

/** Findings about a specification with the models that play it: the schema knows neither prompts nor vocabulary. */
export async function checkSpecification(
  kind: EnvironmentKind,
  spec: EnvironmentSpec,
  models: CheckedModels,
): Promise<CheckedModule> {
  const hash = environmentHash(spec)
  const findings = await checkLoaded(kind, spec, hash, models).catch(error => [said('load')(error)])
  return { findings, hash }
}

async function checkLoaded(kind: EnvironmentKind, spec: EnvironmentSpec, hash: string, models: CheckedModels) {
  const environment = await kind.load(spec, models)
  const findings = environment.hash === hash ? [] : ['load: the environment has another hash than its specification.']
  const { judge, close } = await openJudge(environment, { threads: models.threads, crashed: () => {} })
  return [...findings, ...(await checkEnvironment(environment, judge).finally(close))]
}

const said = (step: string) => (error: unknown) => `${step}: threw ${error instanceof Error ? error.message : error}`
