import { runHeldOut } from '../../node/src/roles/models/measurePolicies.ts'
import { answerHeldOut } from '../../node/src/roles/models/sampleHeldOut.ts'
import { createSandbox } from '../../node/src/sandbox/createSandbox.ts'
import { openSwarm, type PeerRound, type SwarmOptions, type SwarmPeer } from './openSwarm.ts'

/** An arm as it is played: all of a swarm but its seed. */
export type PlayedArm = Pick<SwarmOptions, 'environment' | 'peers' | 'level' | 'adapter'> & { name: string }

export type ArmSize = {
  /** Rounds after which the peers are measured, the last one at the end. */
  at: readonly number[]
  /** Held-out tasks of a measurement, and answers to each. */
  tasks: number
  samples: number
}

/** State of a run's honest peers after a round: totals and means are of one peer. */
export type Point = {
  round: number
  /** Generated. */
  tokens: number
  updates: number
  /** Groups of others that were learned from. */
  taken: number
  /** Duration of the whole swarm's rounds without measurements, on a machine that may have had other work. */
  seconds: number
  /** pass@1 of each peer, by execution on held-out tasks. */
  passAt1: number[]
  /** For each peer, since the point before: mean composite score of its answers, and the share that its judge expects to be right. */
  judged: { reward: number; correct: number }[]
}

export type ArmRun = { points: Point[]; refused: Record<string, number> }

type RunOptions = { threads: number; log: (line: string) => void }

/** One arm with one seed: from the environment's own policy on, measured as it learns. */
export async function runArm(arm: PlayedArm, seed: number, size: ArmSize, options: RunOptions): Promise<ArmRun> {
  const { environment, level } = arm
  const { log } = options
  const swarm = await openArm(arm, seed, options)
  const honest = arm.peers.flatMap((poison, i) => (poison === null ? [i] : []))
  // A sandbox for each policy: what one leaves behind cannot touch the next.
  const measured = honest.map(i => ({ policy: (swarm.peers[i] as SwarmPeer).policy, sandbox: createSandbox() }))
  const measure = async (of = measured) => {
    const passAt1 = await Promise.all(
      of.map(async ({ policy, sandbox }) => {
        const answers = await answerHeldOut(policy, environment, level, size.tasks, size.samples)
        const passed = await runHeldOut(sandbox, answers)
        return passed.filter(Boolean).length / passed.length
      }),
    )
    swarm.throwIfDead()
    points.push({ ...total, passAt1, judged: meansOf(since.splice(0)) })
    log(`${arm.name}, seed ${seed}, round ${total.round}: pass@1 ${passAt1.map(x => x.toFixed(3)).join(' ')}`)
  }
  const points: Point[] = []
  const since: PeerRound[][] = []
  const refused: Record<string, number> = {}
  const total = { round: 0, tokens: 0, updates: 0, taken: 0, seconds: 0 }
  try {
    // All peers begin with the same policy.
    await measure(measured.slice(0, 1))
    while (total.round < Math.max(...size.at)) {
      const startedMs = performance.now()
      const reports = (await swarm.round()).filter(report => report !== null)
      total.seconds += (performance.now() - startedMs) / 1000
      total.round++
      since.push(reports)
      for (const { tokens, updates, taken, refused: reasons } of reports) {
        total.tokens += tokens / honest.length
        total.updates += updates / honest.length
        total.taken += taken / honest.length
        for (const [reason, groups] of Object.entries(reasons)) refused[reason] = (refused[reason] ?? 0) + groups
      }
      if (size.at.includes(total.round)) await measure()
    }
  } finally {
    await Promise.all([swarm.close(), ...measured.map(({ sandbox }) => sandbox.close())])
  }
  return { points, refused }
}

/** Means over rounds of what each peer's judge says of its answers. */
function meansOf(rounds: readonly PeerRound[][]): Point['judged'] {
  const peers = rounds[0] ?? []
  const mean = (peer: number, figure: 'meanReward' | 'averageAtK') =>
    rounds.reduce((sum, reports) => sum + (reports[peer]?.[figure] ?? 0), 0) / rounds.length
  return peers.map((_, peer) => ({ reward: mean(peer, 'meanReward'), correct: mean(peer, 'averageAtK') }))
}

/** Mean seconds of two rounds of the whole swarm, after those in which sharing begins. */
export async function secondsPerRound(arm: PlayedArm, options: RunOptions): Promise<number> {
  const swarm = await openArm(arm, 1, options)
  try {
    for (let round = 1; round <= 2; round++) await swarm.round()
    const startedMs = performance.now()
    for (let round = 1; round <= 2; round++) await swarm.round()
    return (performance.now() - startedMs) / 2000
  } finally {
    await swarm.close()
  }
}

const openArm = ({ name: _, ...arm }: PlayedArm, seed: number, { threads, log }: RunOptions) =>
  openSwarm({ ...arm, seed: `seed ${seed}`, threads, write: log })
