import type { CanaryBundle } from '#core/bodies.ts'
import { inTurns } from '#core/inTurns.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { peerName } from '#core/peerName.ts'
import { canaryCases } from '#environments/codezero/curriculum/canaryTasks.ts'
import type { Level } from '#environments/codezero/curriculum/task.ts'
import { fencedBlock } from '#environments/codezero/structure.ts'
import { createSandbox, type Sandbox, type SandboxCase, type Verdict } from '#sandbox/createSandbox.ts'
import { packedText } from '../admitTasks.ts'
import type { Environment } from '../loadEnvironment.ts'
import type { PeerNode } from '../peerNode.ts'

/** What the judge said of a policy beside what execution says, on the same held-out samples. */
export type CanaryPoint = {
  round: number
  peerId: string
  peerKey: string
  name: string
  /** Mean composite score. */
  reward: number
  predicted: number | null
  passAt1: number
  tasks: number
  samples: number
}

/** Whether a canary is as the environment asks for: of a round that has one, and no larger. Others are not run. */
export function isDueCanary({ spec }: Environment, { round, level, samples }: CanaryBundle): boolean {
  const { everyRounds, tasks, samplesPerTask, level: due } = spec.canary
  return round % everyRounds === 0 && level === due && samples.length <= tasks * samplesPerTask
}

/** A sample that names no task never passes. */
const unknownTask = { code: 'raise LookupError', tests: [] }

/** Answers that may hang before the rest counts as hanging too: each takes seconds of a core, and a restart of the sandbox. */
export const MAX_TIMEOUTS = 20

/** One verdict a case, in order. */
export async function verdictsOf(
  sandbox: Pick<Sandbox, 'runTests'>,
  cases: readonly SandboxCase[],
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  let timeouts = 0
  for (const one of cases) {
    const [verdict = 'error'] = timeouts < MAX_TIMEOUTS ? await sandbox.runTests([one]) : ['timeout' as const]
    if (verdict === 'timeout') timeouts += 1
    verdicts.push(verdict)
  }
  return verdicts
}

/** Runs a canary's samples in a sandbox of their own. */
export async function measureCanary(node: PeerNode, peerId: string, bundle: CanaryBundle): Promise<CanaryPoint> {
  const { spec, format } = node.environment
  const held = await canaryCases(bundle.level as Level, spec.canary.tasks)
  const cases = await inTurns(bundle.samples, async ({ task, completionTokens, ended }) => {
    const tests = held[task]?.tests
    if (!tests) return unknownTask
    const code = fencedBlock(await packedText(format, completionTokens, format.tokenBytes, ended))?.code ?? ''
    return { code, tests }
  })
  const sandbox = createSandbox()
  const verdicts = await verdictsOf(sandbox, cases).finally(sandbox.close)
  const passed = verdicts.filter(verdict => verdict === 'pass').length
  const { weights } = spec
  const form = 1 - weights.predictedCorrectness
  const reward = meanOf(bundle, ({ scoreMilli }) => scoreMilli / 1000)
  return {
    round: bundle.round,
    peerId,
    peerKey: peerKeyOf(peerId),
    name: peerName(peerId),
    reward,
    predicted: meanOf(bundle, ({ scoreMilli }) => Math.max(0, scoreMilli / 1000 - form) / weights.predictedCorrectness),
    passAt1: bundle.samples.length > 0 ? passed / bundle.samples.length : 0,
    tasks: new Set(bundle.samples.map(({ task }) => task)).size,
    samples: bundle.samples.length,
  }
}

function meanOf({ samples }: CanaryBundle, value: (sample: CanaryBundle['samples'][number]) => number): number {
  return samples.reduce((sum, sample) => sum + value(sample), 0) / Math.max(1, samples.length)
}
