import type { CanaryBundle } from '#core/payloads/payloads.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Environment } from '#environments/environment.ts'
import { calibrationBins, calibrationError, confusionOf } from '#environments/judgeFigures.ts'
import type { Level } from '#environments/level.ts'
import { createSandbox } from '#sandbox/createSandbox.ts'
import { packedText } from '../draws/drawTasks.ts'
import { MAX_SLOW, verdictsOf } from '../models/verdictsOf.ts'
import type { PeerNode } from '../peerNode.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'

/** Whether a canary follows the environment's rules: of a round with canaries, and not too large. Others are not run. */
export function isDueCanary({ spec }: Environment, { round, level, samples }: CanaryBundle): boolean {
  const { everyRounds, tasks, samplesPerTask, level: due } = spec.canary
  return round % everyRounds === 0 && level === due && samples.length <= tasks * samplesPerTask
}

/** Runs a canary's samples in their own sandbox. */
export async function measureCanary(node: PeerNode, peerId: string, bundle: CanaryBundle): Promise<CanaryPoint> {
  const { spec, format, heldOutTasks, solvedShare, familyOf } = node.environment
  const held = await heldOutTasks(bundle.level as Level, spec.canary.tasks)
  const cases = await mapYielding(bundle.samples, async ({ task, completionTokens, ended }) => {
    const text = await packedText(format, completionTokens, format.tokenBytes, ended)
    // A sample that names no task never passes.
    return (await held[task]?.check(text, ended)) ?? false
  })
  const sandbox = createSandbox()
  const verdicts = await verdictsOf(sandbox, cases, MAX_SLOW, node.clock).finally(sandbox.close)
  const isRight = verdicts.map(verdict => verdict === 'pass')
  const passed = isRight.filter(Boolean).length
  const predicted = bundle.samples.map(({ scoreMilli }) => solvedShare(scoreMilli / 1000))
  const familyAt = (task: number) => {
    const known = held[task]
    return known && familyOf?.(known.problem)
  }
  const byFamily = Map.groupBy(isRight, (_, i) => familyAt(bundle.samples[i]?.task ?? -1))
  const reward = meanOf(bundle, ({ scoreMilli }) => scoreMilli / 1000)
  return {
    round: bundle.round,
    peerId,
    peerKey: peerKeyOf(peerId),
    name: peerName(peerId),
    reward,
    predicted: predicted.reduce((sum, one) => sum + one, 0) / Math.max(1, predicted.length),
    passAt1: bundle.samples.length > 0 ? passed / bundle.samples.length : 0,
    judge: {
      ...confusionOf(predicted, isRight),
      ...{ calibrationError: calibrationError(predicted, isRight), bins: calibrationBins(predicted, isRight) },
    },
    tasks: new Set(bundle.samples.map(({ task }) => task)).size,
    samples: bundle.samples.length,
    families: [...byFamily].flatMap(([family, rights]) =>
      family === undefined ? [] : [{ family, samples: rights.length, passed: rights.filter(Boolean).length }],
    ),
  }
}

function meanOf({ samples }: CanaryBundle, value: (sample: CanaryBundle['samples'][number]) => number): number {
  return samples.reduce((sum, sample) => sum + value(sample), 0) / Math.max(1, samples.length)
}
