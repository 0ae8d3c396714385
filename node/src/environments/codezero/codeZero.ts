import type { Seed } from '#core/hashes.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type {
  DrawnTask,
  Environment,
  HeldOutTask,
  JudgeModel,
  RoundTask,
  SequenceScorer,
  TokenChooser,
} from '../environment.ts'
import { environmentHash, proposalsPerRound } from '../environmentSpec.ts'
import type { Level } from '../level.ts'
import { seededRandom } from '../seededRandom.ts'
import { codeGames } from './codeGames.ts'
import { canaryTasks, canaryTests } from './curriculum/canaryTasks.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import type { StrictTest } from './curriculum/strictTests.ts'
import type { Problem } from './curriculum/task.ts'
import { datasetProposal } from './datasets/datasetProposal.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import type { CodeJudge } from './judge/createJudge.ts'
import { admitProblem, mayTrainOn, type Proposal, parseProposal } from './parseProposal.ts'
import type { CodeZeroFormat } from './promptFormat.ts'
import { requestText } from './prompts.ts'
import { modelWriter, type ProposalRequest, type ProposalWriter } from './proposalWriters.ts'
import { proposedTests } from './proposedTests.ts'
import { maybeBroken } from './repairTask.ts'
import { nearestTask, sameTask } from './sameTask.ts'
import { scoreAnswers, scoreComponents } from './scoreAnswers.ts'
import { codeOfAnswer, structureChecks } from './structure.ts'
import { taskLimits } from './taskLimits.ts'

export type CodeZeroParts = {
  spec: CodeZeroSpec
  format: CodeZeroFormat
  solverFolder: string
  /** By default the solver's own model proposes. */
  writer?: ProposalWriter
  /** Null if the judge is on a server. */
  judgeModel: JudgeModel | null
  openCodeJudge(model: SequenceScorer & TokenChooser): Promise<CodeJudge>
  /** Opens the judge of a server, which needs no model here. */
  openServedJudge?: (() => Promise<CodeJudge>) | undefined
}

/** Small Python functions, scored by their form and by a frozen model's prediction. */
export function codeZero({
  openCodeJudge,
  openServedJudge,
  writer: chosen,
  ...parts
}: CodeZeroParts): Environment<Problem> {
  const { spec, format, solverFolder } = parts
  const writer = chosen ?? modelWriter(solverFolder, 'float32', format)
  const { weights, difficulty, proposing } = spec
  const formWeight = structureChecks.reduce((sum, name) => sum + weights[name], 0)
  /** A round reads a task, and asks for its key next: one parse for both. */
  let lastRead: { text: string; proposal: Proposal } | null = null
  return {
    ...parts,
    hash: environmentHash(spec),
    ...(isUncalibrated(spec) ? { caution: UNCALIBRATED } : {}),
    components: scoreComponents,
    games: codeGames(format),
    proposals: {
      model: writer.model,
      sampling: proposing,
      difficulty,
      limits: taskLimits(spec),
      async write(level, count, seed, until, model) {
        const requests = proposalRequests(level, count, spec.repairing)
        return (await mapYielding(requests, request => writer.write(request, proposing, seed, until, model))).flat()
      },
      async read(text) {
        const proposal = await parseProposal(text, asked => mayTrainOn(asked, spec.tasks))
        if (typeof proposal === 'string' || !isOfForm(proposal.problem, spec)) return null
        lastRead = { text, proposal }
        return proposal.problem
      },
      faultOf: (text, level) => faultOf(text, level, spec),
      tell: task => datasetProposal(task, spec.tasks),
      async keyOf(text) {
        const proposal = lastRead?.text === text ? lastRead.proposal : await parseProposal(text)
        return typeof proposal === 'string' ? text : sameTask(proposal.problem)
      },
      testsOf: proposedTests,
      async codeOf(answer, text) {
        const proposal = await parseProposal(text)
        return typeof proposal === 'string' ? null : codeOfAnswer(answer, proposal.problem)
      },
      nearest: nearestTask,
    },
    async openJudge(model) {
      const judge = await (openServedJudge?.() ?? openCodeJudge(needed(model)))
      return {
        measured: judge.measured,
        async score(answers) {
          const scores = await scoreAnswers(judge, weights, answers)
          return scores.map(score => ({ ...score, correctness: score.components.predictedCorrectness }))
        },
      }
    },
    familyOf: ({ broken }) => (broken === undefined ? 'write' : 'repair'),
    solvedShare: score => Math.min(1, Math.max(0, (score - formWeight) / weights.predictedCorrectness)),
    async roundTasks(seed, proposed) {
      if (proposed >= spec.tasksPerRound || spec.whenSilent === 'nothing') return []
      const tasks = standInTasks(spec, seed)
      return proposed === 0 ? tasks : tasks.slice(0, spec.tasksPerRound - proposed)
    },
    drawTasks: (level, count, seed) => drawTasks(level, count, seed, spec.repairing),
    heldOutTasks: (level, count) => heldOutTasks(level, count, spec.repairing),
  }
}

const UNCALIBRATED =
  "nobody measured how well this environment's judge tells right answers from wrong ones (judge.measured is null): points and learning may follow noise"

const isUncalibrated = ({ judge }: CodeZeroSpec) => judge.kind === 'trueFalse' && judge.measured === null

function needed<T>(model: T | null): T {
  if (model === null) throw new RangeError('CodeZero is judged by a model')
  return model
}

/** Reason why a text is refused as a proposal of a level; null if it is accepted. */
async function faultOf(text: string, level: number, spec: CodeZeroSpec): Promise<string | null> {
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return proposal
  if (!isOfForm(proposal.problem, spec)) return 'a repair'
  const admitted = admitProblem(proposal.problem, spec.tasks)
  if (admitted === 'not understood' && spec.tasks === 'wellFormed') return null
  if (typeof admitted === 'string') return admitted
  return admitted.level === level ? null : 'another level'
}

const isOfForm = ({ broken }: Problem, { repairing }: CodeZeroSpec) => broken === undefined || repairing > 0

/** Requests for proposals of each form; the share of broken functions is rounded. */
function proposalRequests(level: number, count: number, repairing: number): ProposalRequest[] {
  const repairs = Math.round(count * repairing)
  const forms = [
    { level, form: 'write', samples: count - repairs },
    { level, form: 'repair', samples: repairs },
  ] as const
  return forms.filter(({ samples }) => samples > 0)
}

function drawTasks(level: Level, count: number, seed: string, repairing: number): DrawnTask<Problem>[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (): DrawnTask<Problem> => {
    const problem: Problem = maybeBroken(drawTrainingTask(level, random), repairing, random)
    return { text: problem.broken === undefined ? problem.text : requestText(problem), problem }
  })
}

/** Fallback tasks for a round without proposals: as many as one proposer would propose, at the initial level. */
function standInTasks(spec: CodeZeroSpec, seed: Seed): RoundTask<Problem>[] {
  const level = spec.difficulty.startLevel as Level
  return drawTasks(level, proposalsPerRound(spec), `silent ${seed}`, spec.repairing).map(task => ({ ...task, level }))
}

/** An answer is right if it passes the tests of its task; one that was cut off is wrong, as for the score. */
async function heldOutTasks(level: Level, count: number, repairing: number): Promise<HeldOutTask<Problem>[]> {
  const random = seededRandom(`canary repairs ${level}`)
  return mapYielding(await canaryTasks(level, count), (task, i) => {
    let tests: StrictTest[] | undefined
    const check = async (text: string, ended: boolean) => {
      if (!ended) return false
      tests ??= canaryTests(task, level, i)
      return { code: (await codeOfAnswer(text, task)) ?? '', tests }
    }
    return { problem: maybeBroken(task, repairing, random), check }
  })
}
