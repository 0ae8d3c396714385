import { createHash } from 'node:crypto'
import type { WorkerError } from '../../node/model/src/base/threads/workerCalls.ts'
import type { PolicyClient } from '../../node/model/src/rl/policy/policyClient.ts'
import { systemClock } from '../../node/src/core/clock.ts'
import type { PeerKey } from '../../node/src/core/hashes.ts'
import type { Hex } from '../../node/src/core/hex.ts'
import { createLogger } from '../../node/src/core/logger.ts'
import type { RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import { taskHash } from '../../node/src/core/payloads/taskProposal.ts'
import type { Environment, Judge } from '../../node/src/environments/environment.ts'
import type { Level } from '../../node/src/environments/level.ts'
import { seededRandom } from '../../node/src/environments/seededRandom.ts'
import { type CheckedGroup, checkRollouts, type RoundRules } from '../../node/src/roles/draws/checkRollouts.ts'
import type { AskedAdapter } from '../../node/src/roles/models/adapterToTrain.ts'
import { openPolicy } from '../../node/src/roles/models/openModels.ts'
import { answerRound } from '../../node/src/roles/solver/answerRound.ts'
import { createLearner, type Learner } from '../../node/src/roles/solver/learner.ts'
import { type LearnedRound, learnRound, type PeerGroups } from '../../node/src/roles/solver/learnRound.ts'
import { createQuarantine } from '../../node/src/roles/solver/quarantine.ts'
import { createTrust } from '../../node/src/roles/solver/trust.ts'
import { createJournal } from '../../node/src/store/journal.ts'
import { openDatabase } from '../../node/src/store/openDatabase.ts'

/** Turns an honest peer's bundle into a hostile one. It knows the policy and the rewards that the judge gives each group's answers. */
export type Poison = (bundle: RolloutBundle, known: Known) => Promise<RolloutBundle>

type Known = { policy: Pick<PolicyClient, 'logprobs'>; rewards: readonly (readonly number[])[] }

export type SwarmOptions = {
  environment: Environment
  /** One entry a peer: null for one that is honest, and learns. */
  peers: readonly (Poison | null)[]
  /** Seed of tasks, answers and the order in which groups arrive. */
  seed: string
  level: Level
  /** Trained instead of the weights. */
  adapter?: AskedAdapter | undefined
  threads: number
  /** Told what the peers log. */
  write: (line: string) => void
}

export type SwarmPeer = { policy: PolicyClient; judge: Judge }

export type PeerRound = LearnedRound & {
  /** Generated. */
  tokens: number
  /** Groups of peers that poison that were trained on: those with a gradient, each once. */
  poisoned: number
}

export type Swarm = {
  readonly peers: readonly SwarmPeer[]
  /**
   * Every peer answers its tasks; honest ones learn from their own groups and from those that the others gave a round before.
   *
   * @throws {WorkerError} if a worker died: its policy is the starter's again, and a run that continues measures nothing.
   */
  round(): Promise<(PeerRound | null)[]>
  /**
   * To be called after the peers were measured, whose workers may die meanwhile.
   *
   * @throws {WorkerError} as `round` does.
   */
  throwIfDead(): void
  close(): Promise<void>
}

const CHAIN_ID = 31_337
/** Tasks that a round draws from, for each peer. */
const POOL = 16

/**
 * Solvers of one swarm in one process, each with its policy in a worker: they answer, check, judge and learn by the code of the
 * solver's role. There is no chain and no network between them, and a round's groups are taken in the round after it.
 */
export async function openSwarm(options: SwarmOptions): Promise<Swarm> {
  const { environment, seed } = options
  const { spec } = environment
  let death: WorkerError | null = null
  const crashed = (error: WorkerError) => {
    death ??= error
  }
  const poisoners = new Set(options.peers.flatMap((poison, i) => (poison === null ? [] : [keyOf(i)])))
  const members = await Promise.all(
    options.peers.map((poison, i) => openMember(options, poison, i, { crashed, poisoners })),
  )
  const throwIfDead = () => {
    if (death !== null) throw death
  }
  let round = 0
  let before: PeerGroups[] = []

  return {
    peers: members,
    async round() {
      round++
      const rules = drawRules(options, round)
      // Peers are separate processes, so all of them work at once, as those of a real swarm do.
      const rounds = await Promise.all(
        members.map(async ({ policy, peerKey, poison, learn, score }, i) => {
          const bundle = await answerRound(policy, { chainId: CHAIN_ID, round, peerKey }, rules)
          const honest = await checkRollouts(bundle, rules)
          const poisonous = poison && (await poison(bundle, { policy, rewards: await rewardsOf(score, honest) }))
          const groups = poisonous ? await checkRollouts(poisonous, rules) : honest
          const arriving = seededRandom(`${seed} order ${round} ${i}`).shuffled(before)
          const learned = poison ? null : { ...(await learn(round, groups, arriving)), tokens: tokensOf(groups) }
          return { given: { peerKey, groups: groups.slice(0, spec.sharing.groupsPerPeer) }, learned }
        }),
      )
      throwIfDead()
      before = rounds.map(({ given }) => given)
      return rounds.map(({ learned }) => learned)
    },
    throwIfDead,
    async close() {
      for (const { policy } of members) await policy.close()
    },
  }
}

async function openMember(
  { environment, adapter, threads, write }: SwarmOptions,
  poison: Poison | null,
  index: number,
  { crashed, poisoners }: { crashed: (error: WorkerError) => void; poisoners: ReadonlySet<PeerKey> },
) {
  const { spec, format } = environment
  const policy = await openPolicy(environment, null, { threads, crashed, adapter })
  const judge = await environment.openJudge(policy)
  const peerKey = keyOf(index)
  const clock = systemClock
  const journal = createJournal(openDatabase(':memory:'), clock)
  const logger = createLogger({ write, format: 'pretty', level: 'warn', clock }, { peer: index })
  const quarantine = createQuarantine({ journal, logger })
  const { learner, poisoned } = countingPoisoned(
    createLearner(
      { environment, journal, training: { note: () => {} }, clock },
      policy,
      judge,
      adapter ? 'adapter' : 'weights',
    ),
    poisoners,
  )
  const { signal } = new AbortController()
  const modules = { learner, quarantine, trust: createTrust({ journal }), logger, vocabSize: format.vocabSize, signal }
  return {
    ...{ policy, judge, peerKey, poison, score: learner.score },
    async learn(round: number, own: readonly CheckedGroup[], arriving: readonly PeerGroups[]) {
      const given = arriving.filter(theirs => theirs.peerKey !== peerKey)
      const wanted = given.filter(theirs => theirs.groups.length > 0 && !quarantine.holds(theirs.peerKey, round))
      const silent = given.filter(theirs => !wanted.includes(theirs)).map(theirs => ({ ...theirs, groups: [] }))
      async function* others() {
        yield* [...wanted, ...silent].slice(0, spec.sharing.peers)
      }
      const before = poisoned()
      const learned = await learnRound(modules, { round, spec, own, others: others(), until: signal })
      return { ...learned, poisoned: poisoned() - before }
    },
  }
}

/** A learner that counts the groups of peers that poison which changed its policy. Only updates on one peer's groups name that peer. */
export function countingPoisoned(learner: Learner, poisoners: ReadonlySet<PeerKey>) {
  let poisoned = 0
  const counting: Learner = {
    ...learner,
    async learn(groups, own, options) {
      const lesson = await learner.learn(groups, own, options)
      if (options.peer && poisoners.has(options.peer) && !options.again) poisoned += lesson.taken
      return lesson
    },
  }
  return { learner: counting, poisoned: () => poisoned }
}

/** The rule of a round whose tasks are drawn from the curriculum, and not proposed. */
function drawRules({ environment, peers, seed, level }: SwarmOptions, round: number): RoundRules {
  const { spec, format } = environment
  const drawn = environment.drawTasks(level, POOL * peers.length, `${seed} tasks ${round}`)
  const places = drawn.map(({ text, problem }, index) => {
    const ref = { peerKey: hashOf('curriculum'), index }
    return {
      ref,
      taskHash: taskHash(ref),
      level,
      text,
      problem,
    }
  })
  return { spec, format, places, beacon: hashOf(`${seed} beacon ${round}`) }
}

const rewardsOf = async (score: Learner['score'], groups: readonly CheckedGroup[]) =>
  (await score(groups)).map(({ rewards }) => rewards)

const tokensOf = (groups: readonly CheckedGroup[]) =>
  groups.flatMap(({ rollouts }) => rollouts).reduce((sum, { completionTokens }) => sum + completionTokens.length, 0)

const keyOf = (index: number): PeerKey => hashOf(`peer ${index}`)

const hashOf = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`
