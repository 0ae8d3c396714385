import type { ChainReads } from '#chain/reads.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon, Seed } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { onceForEach } from '#core/onceForEach.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import { taskHash } from '#core/payloads/taskProposal.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Environment, PeerAnswers, RoundTask, Stages } from '#environments/environment.ts'
import { fetchRolloutsOf } from '../fetch/fetchCommitted.ts'
import { seatsThatScored } from '../fetch/seatsThatScored.ts'
import type { PeerNode } from '../peerNode.ts'
import { drawIndices } from './drawIndices.ts'
import { type AdmittedTask, drawTasks, packedText } from './drawTasks.ts'
import { roundSeed } from './roundSeed.ts'

/** From one stage of an episode to the next: a round is settled within the third after it, and its answers are quoted in the fourth. */
export const STAGE_ROUNDS = 4

export type RuledBy = Pick<Environment, 'spec' | 'hash' | 'format' | 'roundTasks' | 'stages'>

/** Inputs of later stages of an episode. */
export type StageSource = {
  reads: Pick<ChainReads, 'readBeacon' | 'readEnvironment' | 'readRolloutCommitments' | 'readSettlements'>
  /** The rollouts that a peer committed for a round; null if they are unavailable. */
  fetch(round: number, commitment: RolloutCommitment): Promise<RolloutBundle | null>
}

/**
 * As a node has it. It asks the seats that scored a quoted peer as well as the peer: without the answers nobody can check who quotes them.
 *
 * @param until - ends every fetch.
 * @param votesOf - the revealed votes of a round.
 */
export function stageSource(
  node: PeerNode,
  until: AbortSignal,
  votesOf = onceForEach(node.chain.readRevealedVotes),
): StageSource {
  return {
    reads: node.chain,
    async fetch(round, commitment) {
      const wanted = { ...commitment, keepers: seatsThatScored(await votesOf(round), commitment) }
      const fetched = await fetchRolloutsOf(node, round, wanted, until, ({ payload }) => payload)
      return fetched.ok ? fetched.value : null
    },
  }
}

type Round = { chainId: number; round: number; beacon: Beacon }

/**
 * The tasks of a round that follow from beacons: those of its own beacon, or, in a later stage of an episode, those of the episode's first round.
 * These quote answers of the previous stage, which the beacon draws from those of peers that have points for them.
 *
 * Episodes overlap: the stages of one are `STAGE_ROUNDS` apart, so the quoted answers are settled on the chain by then.
 */
export async function beaconTasks(
  environment: RuledBy,
  at: Round,
  counting: number,
  source: StageSource | undefined,
): Promise<AdmittedTask[]> {
  const { stages = null, roundTasks } = environment
  const stage = stages === null ? 0 : Math.floor(at.round / STAGE_ROUNDS) % stages.count
  const first = stage === 0 ? null : await firstRound(at, stage, source)
  const seedOf = ({ chainId, round, beacon }: Round) => roundSeed('tasks', chainId, round, beacon, ZERO_HASH)
  const questions = await roundTasks(seedOf(first ?? at), counting)
  if (stages === null || first === null || source === undefined) return questions.map(admitted)
  const answers = await earlierAnswers(environment, stages, at, questions, source)
  return stages.laterTasks(questions, { stage, seed: seedOf(at) }, answers).map((task, index) => ({
    // Its place stays, so that the draws of other tasks are the same for everybody.
    ...admitted(task ?? (questions[index] as RoundTask), index),
    ...(task === null ? { isUnknown: true as const } : {}),
  }))
}

function admitted(task: RoundTask, index: number): AdmittedTask {
  const ref = { peerKey: ZERO_HASH, index }
  return { ref, taskHash: taskHash(ref), ...task }
}

/** The first round of the episode; null if it was void, so that the round is its own episode. */
async function firstRound({ chainId, round }: Round, stage: number, source?: StageSource): Promise<Round | null> {
  if (source === undefined) throw new Error('an environment with stages needs a source of earlier answers')
  const first = round - stage * STAGE_ROUNDS
  const beacon = await beaconBefore(source, first)
  return beacon === null ? null : { chainId, round: first, beacon }
}

async function beaconBefore({ reads }: StageSource, round: number): Promise<Beacon | null> {
  return round === 0 ? ZERO_HASH : (await reads.readBeacon(round - 1)).hash
}

/** For each question, the answers of each drawn peer in the previous stage. */
async function earlierAnswers(
  { spec, hash, format }: RuledBy,
  { peers }: Stages,
  { chainId, round, beacon }: Round,
  questions: readonly RoundTask[],
  source: StageSource,
): Promise<PeerAnswers[][]> {
  const earlier = round - STAGE_ROUNDS
  const none = questions.map(() => [])
  const [before, played] = [await beaconBefore(source, earlier), await source.reads.readEnvironment(earlier)]
  if (before === null || played !== hash) return none
  const drawn = await drawPeers(source, earlier, peers, roundSeed('quotes', chainId, round, beacon, ZERO_HASH))
  const rules = { spec, places: questions.map(admitted), beacon: before }
  const given = await Promise.all(
    drawn.map(async commitment => {
      const bundle = await source.fetch(earlier, commitment)
      const owed = drawTasks(chainId, earlier, commitment.peerKey, rules).map(({ ref }) => ref.index)
      const answers = await mapYielding(owed, (_, at): PeerAnswers | Promise<PeerAnswers> =>
        bundle === null ? null : answersAt(bundle, at, format),
      )
      return new Map(owed.map((question, at) => [question, answers[at] ?? null]))
    }),
  )
  return questions.map((_, question) =>
    given.filter(answers => answers.has(question)).map(answers => answers.get(question) ?? null),
  )
}

/** Commitments of peers with points for the round, in the order of their draw. */
async function drawPeers(
  { reads }: StageSource,
  round: number,
  count: number,
  seed: Seed,
): Promise<RolloutCommitment[]> {
  const settled = await reads.readSettlements(round)
  const withPoints = new Set(settled.filter(one => one.scoreMilli > 0).map(({ peerKey }) => peerKey))
  const committed = (await reads.readRolloutCommitments(round))
    .filter(({ peerKey }) => withPoints.has(peerKey))
    .toSorted((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
  return drawIndices(committed.length, count, seed).map(at => committed[at] as RolloutCommitment)
}

/** The bundle's content at the place of a question, valid or not: it is committed. */
function answersAt({ groups }: RolloutBundle, at: number, format: RuledBy['format']): Promise<PeerAnswers> {
  return mapYielding(groups[at]?.rollouts ?? [], async ({ completionTokens, ended }) => ({
    text: await packedText(format, completionTokens, format.tokenBytes, ended),
    ended,
  }))
}
