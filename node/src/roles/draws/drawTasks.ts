import type { TaskProposal } from '#chain/work/proposals.ts'
import type { Beacon, PeerKey, TaskHash } from '#core/hashes.ts'
import { unpackTokens } from '#core/payloads/packedTokens.ts'
import { decodeProposal, type TaskRef, taskHash } from '#core/payloads/taskProposal.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Environment, Problem } from '#environments/environment.ts'
import { type EnvironmentSpec, proposalsPerRound } from '#environments/environmentSpec.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import type { PeerNode } from '../peerNode.ts'
import { randomOrder } from './drawIndices.ts'
import { roundSeed } from './roundSeed.ts'

/** A task that may be solved and trained on. */
export type AdmittedTask = {
  ref: TaskRef
  taskHash: TaskHash
  level: number
  text: string
  problem: Problem
  /** Its prompt quotes answers that this node cannot get: answers to it here do not count, and none are judged. */
  isUnknown?: true
}

/** A place of a proposal, which is drawn in any case; null if it holds no task that counts. */
export type TaskPlace = AdmittedTask | null

/** The parts of an environment that decide which tasks count. */
export type TaskRules = Pick<Environment, 'format' | 'proposals'> & { spec: Pick<EnvironmentSpec, 'tasksPerRound'> }

/** Called for each place without a task. */
export type Skip = (reason: 'unreadable' | 'repeated' | 'malformed' | 'not new') => void

/** The places that a round draws from, as on the chain: later publications do not change them. */
export async function readTaskPlaces(
  { chain, environment }: PeerNode,
  round: number,
  skip?: Skip,
): Promise<TaskPlace[]> {
  return admitTasks(await chain.readProposals(round), environment, skip)
}

/**
 * The places of a round's proposals, by proposer and then by index. Only as many of a proposal's tasks count as the environment asks for.
 *
 * A task counts if its text is a well-formed proposal whose prompt is not too long (`limits`), the specification allows training on it, and no equivalent
 * task, in any words, was proposed before for the round by any proposer.
 *
 * @param proposals - in the order of the chain.
 */
export async function admitTasks(
  proposals: readonly TaskProposal[],
  rules: TaskRules,
  skip: Skip = () => {},
): Promise<TaskPlace[]> {
  if (rules.proposals === null) return []
  const [seen, asked] = [new Set<string>(), new Set<string>()]
  const without = (reason: Parameters<Skip>[0]) => {
    skip(reason)
    return null
  }
  const admitted = await mapYielding(proposals, async ({ peerKey, count, bytes }) => {
    const { level = 0, texts = [] } = decodeProposal(bytes) ?? {}
    const length = Math.min(count, proposalsPerRound(rules.spec))
    const places = await mapYielding(Array.from({ length }), async (_, index): Promise<TaskPlace> => {
      const text = texts[index]
      if (text === undefined) return without('unreadable')
      if (seen.has(text)) return without('repeated')
      seen.add(text)
      const problem = await problemOf(text, rules)
      if (problem === null) return without('malformed')
      const key = (await rules.proposals?.keyOf(text)) ?? text
      if (asked.has(key)) return without('not new')
      asked.add(key)
      const ref = { peerKey, index }
      return { ref, taskHash: taskHash(ref), level, text, problem }
    })
    return { peerKey, places }
  })
  return admitted.sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1)).flatMap(({ places }) => places)
}

/** The task in a text; null if it does not count. */
export async function problemOf(
  text: string,
  { format, proposals }: Pick<TaskRules, 'format' | 'proposals'>,
): Promise<Problem | null> {
  const problem = (await proposals?.read(text)) ?? null
  if (proposals === null || problem === null) return null
  const prompt = await format.solverPrompt(problem)
  return prompt.length > proposals.limits.promptTokens ? null : problem
}

/** Text of a completion in a bundle; '' if it holds an invalid token. */
export async function packedText(
  format: PromptFormat,
  completion: Uint8Array,
  width: 2 | 4,
  ended: boolean,
): Promise<string> {
  const tokens = unpackTokens(completion, width)
  return areTokens(tokens, format) ? format.completionText(tokens, ended) : ''
}

/** Whether token ids from a peer are valid model inputs. */
export function areTokens(ids: Int32Array, { vocabSize }: PromptFormat): boolean {
  return ids.every(id => id >= 0 && id < vocabSize)
}

export type DrawRules = {
  spec: Pick<EnvironmentSpec, 'tasksPerRound'>
  /** Places of tasks that follow from the beacon, then of proposed ones, by proposer and index. */
  places: readonly TaskPlace[]
  /** Beacon of the round before: the tasks and the seed of each peer follow from it. */
  beacon: Beacon
}

/**
 * The tasks that a solver has to answer in a round: places are drawn, not chosen, so that easy tasks cannot be picked.
 *
 * A place without a task that counts passes its draw to the next one of the same random order. So it benefits all other places equally, and does not
 * change the other draws. If no place is left, fewer tasks are owed.
 */
export function drawTasks(
  chainId: number,
  round: number,
  peerKey: PeerKey,
  { spec, places, beacon }: DrawRules,
): AdmittedTask[] {
  const drawn: TaskPlace[] = []
  for (const at of randomOrder(places.length, roundSeed('draw', chainId, round, beacon, peerKey))) {
    const task = places[at] ?? null
    const gap = drawn.indexOf(null)
    if (drawn.length < spec.tasksPerRound) drawn.push(task)
    else if (gap < 0) break
    else if (task !== null) drawn[gap] = task
  }
  return drawn.filter(task => task !== null)
}
