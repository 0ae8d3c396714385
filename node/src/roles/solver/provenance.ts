import { z } from 'zod'
import type { EnvironmentHash } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { Journal } from '#store/journal.ts'
import { ofRules } from '../models/forgetOtherRules.ts'

/** The frozen evaluator's scores of a solver's held-out answers after a round; means of 0 to 1. */
export type CanaryPoint = { round: number; reward: number; correctness: number }

/** Newest points that are kept. */
const POINTS = 100

const pointsSchema = z.array(z.object({ round: z.int(), reward: z.number(), correctness: z.number() }))

/** Oldest first. */
export function readCanaryPoints(journal: Pick<Journal, 'getState'>): CanaryPoint[] {
  const kept = pointsSchema.safeParse(journal.getState(ofRules.canaryPoints))
  return kept.success ? kept.data : []
}

/** A round that is measured again replaces its point. */
export function noteCanaryPoint(journal: Pick<Journal, 'getState' | 'setState'>, point: CanaryPoint): void {
  const others = readCanaryPoints(journal).filter(({ round }) => round !== point.round)
  journal.setState(ofRules.canaryPoints, [...others, point].slice(-POINTS))
}

/** Origin of a pushed policy. */
type Provenance = {
  /** Name of the deployment. */
  network: string
  environment: { name: string; hash: EnvironmentHash }
  /** Content hash of the base model's weights, which also names one that is not on the hub. */
  baseHash: Hex
  peer: { name: string; peerId: string }
  /** The last round that it learned from. */
  round: number
  pointsMilli: number
  canary: readonly CanaryPoint[]
}

/** The part of a model card about a policy's origin, and how anyone checks it. Markdown. */
export function provenanceOf({ network, environment, baseHash, peer, round, pointsMilli, canary }: Provenance): string {
  const table =
    canary.length === 0
      ? []
      : [
          `Held-out tasks, scored by the swarm's frozen evaluator and not by execution:`,
          '',
          '| round | mean reward | predicted correctness |',
          '|---|---|---|',
          ...canary.map(at => `| ${at.round} | ${at.reward.toFixed(3)} | ${at.correctness.toFixed(3)} |`),
          '',
        ]
  return [
    '## Provenance',
    '',
    '| | |',
    '|---|---|',
    `| swarm | \`${network}\` |`,
    `| environment | ${environment.name}, \`${environment.hash}\` |`,
    `| base model, hash of its weights | \`${baseHash}\` |`,
    `| peer | ${peer.name}, \`${peer.peerId}\` |`,
    `| last round learned from | ${round} |`,
    `| points of the peer | ${(pointsMilli / 1000).toFixed(1)} |`,
    '',
    'Its points, and the work that they were paid for, can be recomputed by anyone:',
    '',
    '```sh',
    `npx waggle audit --network ${network}`,
    `npx waggle audit --network ${network} --round ${round} --peer '${peer.name}'`,
    '```',
    '',
    ...table,
  ].join('\n')
}
