import { mean } from '#base/mean.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import type { Environment, Judge } from '#environments/environment.ts'
import type { ChatFolders } from '#environments/environmentKind.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { Level } from '#environments/level.ts'
import { type Estimate, meanWithInterval, passAtK } from '#rl/passAtK.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { createSandbox, type Sandbox } from '#sandbox/createSandbox.ts'
import { openPolicy } from './openModels.ts'
import { type HeldOutAnswer, sampleHeldOut } from './sampleHeldOut.ts'
import { verdictsOf } from './verdictsOf.ts'

type Measurement = {
  /** Folders of policies; `starter` is the model that they begin with. */
  policies: string[]
  /** Environment and models to measure with; undefined for the starter's. */
  chat?: (ChatFolders & { spec: EnvironmentSpec }) | undefined
  level: Level
  tasks: number
  samples: number
  threads: number
}

type MeasuredPolicy = {
  policy: string
  /** Held-out tasks: fewer than asked for if the level has fewer that differ. */
  tasks: number
  passAt1: number
  /** For 1 and for the number of samples. */
  passAtK: ({ k: number } & Estimate)[]
  predicted: number
  reward: number
  /** pass@1 of the tasks of each family; empty if the environment has none. */
  families: ({ family: string; tasks: number } & Estimate)[]
}

/**
 * Share of sampled answers to fixed held-out tasks that are right, for each policy, with the same sampling
 * seeds for all.
 */
export async function measurePolicies({
  policies,
  chat,
  level,
  tasks,
  samples,
  threads,
}: Measurement): Promise<MeasuredPolicy[]> {
  const environment = chat ? await loadEnvironment(chat.spec, chat) : (await loadEnvironments()).starter
  const measured: MeasuredPolicy[] = []
  // Nothing is trained here, so a failed call is simply repeated.
  const crashed = () => {}
  for (const folder of policies) {
    const policy = await openPolicy(environment, folder === 'starter' ? null : folder, { threads, crashed })
    const judge = await environment.openJudge(policy)
    const opened = { policy, judge, environment }
    const figures = await measurePolicy(opened, { level, tasks, samples }).finally(policy.close)
    measured.push({ policy: folder, ...figures })
  }
  return measured
}

/** Measures one policy, which stays open. */
export async function measurePolicy(
  { policy, judge, environment }: { policy: PolicyClient; judge: Judge; environment: Environment },
  { level, tasks, samples }: Pick<Measurement, 'level' | 'tasks' | 'samples'>,
): Promise<Omit<MeasuredPolicy, 'policy'>> {
  const drawn = await sampleHeldOut(policy, judge, environment, level, tasks, samples)
  // A sandbox for each policy, so that none affects the next.
  const sandbox = createSandbox()
  const passed = await runHeldOut(sandbox, drawn).finally(sandbox.close)
  const counts = Array.from({ length: new Set(drawn.map(({ at }) => at)).size }, () => 0)
  for (const [i, { at }] of drawn.entries()) if (passed[i]) counts[at] = (counts[at] ?? 0) + 1
  const of = (passes: readonly number[], k: number) =>
    meanWithInterval(
      passes.map(count => passAtK(samples, count, k)),
      samples,
    )
  const familyAt = new Map(drawn.map(({ at, task }) => [at, environment.familyOf?.(task.problem)]))
  const families = Map.groupBy(counts.keys(), at => familyAt.get(at))
  return {
    tasks: counts.length,
    passAtK: [...new Set([1, samples])].map(k => ({ k, ...of(counts, k) })),
    passAt1: mean(passed.map(Number)),
    predicted: mean(drawn.map(({ score }) => score.correctness)),
    reward: mean(drawn.map(({ score }) => score.score)),
    families: [...families]
      .flatMap(([family, places]) =>
        family === undefined ? [] : [{ family, passes: places.map(at => counts[at] ?? 0) }],
      )
      .map(({ family, passes }) => ({ family, tasks: passes.length, ...of(passes, 1) }))
      .toSorted((a, b) => a.family.localeCompare(b.family)),
  }
}

/** Whether each answer to held-out tasks is right. */
export async function runHeldOut(
  sandbox: Sandbox,
  answers: readonly Pick<HeldOutAnswer, 'task' | 'text' | 'completion'>[],
): Promise<boolean[]> {
  const checks = await mapYielding(answers, async ({ task, text, completion }) => task.check(text, completion.ended))
  return (await verdictsOf(sandbox, checks, checks.length)).map(verdict => verdict === 'pass')
}
