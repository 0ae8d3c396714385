import type { Hex } from 'viem'
import { encodeProposal } from '../../../node/src/core/payloads/taskProposal.ts'
import type { Problem } from '../../../node/src/environments/environment.ts'
import type { RoundRules } from '../../../node/src/roles/draws/checkRollouts.ts'
import {
  type AdmittedTask,
  admitTasks,
  drawTasks,
  type TaskPlace,
  type TaskRules,
} from '../../../node/src/roles/draws/drawTasks.ts'
import { type Member, SIZES } from './cast.ts'
import { type Facts, SPEC } from './facts.ts'

/** Half the spread of abilities, of a task's easiness, and of an answer's luck, in thousandths. */
const SPREADS = { ability: 150, easiness: 200, luck: 300 }

/** Standard deviation of an honest score of one leaf around the true one. */
export const NOISE_MILLI = 12

/** How often an honest seat misses a round. */
export const ABSENT = 0.02

/** Share of falsely sampled leaves that the check finds. */
export const CAUGHT = 0.99

/** Nectar that work costs: a tenth of what an average solver earns by it, half of what a seat does. */
export const LEAF_COST = (0.1 * 1_000) / (SIZES.rivals + SIZES.machines) / SPEC.owedLeaves
export const SCORE_COST = (0.5 * 200) / 5 / (SIZES.rivals + SIZES.machines)

/** A task's text is its easiness, and what tells it from others of the same. */
export const taskText = (easinessMilli: number, name: string) => `${easinessMilli} ${name}`
export const easinessOf = ({ text }: Pick<AdmittedTask, 'text'>) => Number(text.split(' ')[0])
export const UNREADABLE = '?'

/** An environment whose tasks are numbers; what is read, drawn and passed on is the node's own code. */
const ENVIRONMENT = {
  spec: SPEC,
  proposals: {
    limits: { promptTokens: 1 },
    read: async (text: string) => (text.startsWith(UNREADABLE) ? null : ({} as Problem)),
    keyOf: async (text: string) => text,
  },
  format: { solverPrompt: async () => new Int32Array() },
} as unknown as TaskRules & Pick<RoundRules, 'spec' | 'format'>

/** Tasks of one proposer for a round. */
export interface Proposal {
  readonly proposer: Member
  readonly texts: readonly string[]
}

export const proposalBytes = ({ texts }: Proposal) => encodeProposal({ level: 1, texts })

/** The places of a round's proposals, in the order of the chain. */
export function placesOf(facts: Facts, round: number, proposals: readonly Proposal[]): Promise<TaskPlace[]> {
  const name = proposals.map(({ proposer, texts }) => `${proposer.number}:${texts.join()}`).join(';')
  return facts.once(`places ${round} ${name}`, () =>
    admitTasks(
      proposals.map(({ proposer, texts }) => ({
        ...{ peerKey: proposer.key, count: texts.length, secret: proposer.key },
        bytes: encodeProposal({ level: 1, texts }),
      })),
      ENVIRONMENT,
    ),
  )
}

/** The tasks that a peer owes answers to. */
export function owedTasks(
  facts: Facts,
  round: number,
  key: Hex,
  places: readonly TaskPlace[],
): readonly AdmittedTask[] {
  const name = places.map(place => place?.text ?? '').join()
  return facts.once(`owed ${round} ${key} ${name}`, () =>
    drawTasks(facts.chainId, round, key, { ...ENVIRONMENT, places, beacon: facts.before(round) }),
  )
}

/** Tasks of an honest proposer: easy and hard ones alike. */
export function fairTexts(facts: Facts, round: number, { number }: Member): string[] {
  return Array.from({ length: 2 * SPEC.tasksPerRound }, (_, at) => {
    const easiness = SPREADS.easiness * (2 * facts.uniform('easiness', round, number, at) - 1)
    return taskText(Math.round(easiness), `${number} ${round} ${at}`)
  })
}

/** Value of an answer. @param attempt - number of the sample. */
export function qualityOf(
  facts: Facts,
  author: Member,
  round: number,
  { index, attempt }: { index: number; attempt: number },
  task: AdmittedTask,
): number {
  const luck = 2 * facts.uniform('luck', author.number, round, index + 100 * attempt) - 1
  const quality = abilityOf(facts, author) + easinessOf(task) + SPREADS.luck * luck
  return Math.min(1000, Math.max(0, Math.round(quality)))
}

/** Mean value of a member's answers, known to all from earlier rounds. Spare keys have their owner's model. */
export function abilityOf(facts: Facts, { name, number }: Member): number {
  if (name.startsWith('own')) return 500
  return 500 + SPREADS.ability * (2 * facts.uniform('ability', number) - 1)
}
