import type { Hex } from '#core/hex.ts'
import { mapYielding } from '#core/mapYielding.ts'
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
import { admitProblem, mayTrainOn } from './admitProblem.ts'
import type { CodeJudge } from './createJudge.ts'
import { canaryTasks, canaryTests } from './curriculum/canaryTasks.ts'
import { drawTrainingTask } from './curriculum/drawTask.ts'
import type { StrictTest } from './curriculum/strictTests.ts'
import type { Problem } from './curriculum/task.ts'
import { datasetProposal } from './datasets/datasetProposal.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'
import { parseProposal } from './parseProposal.ts'
import type { CodeZeroFormat } from './promptFormat.ts'
import { sameTask } from './sameTask.ts'
import { scoreAnswers, scoreComponents } from './scoreAnswers.ts'
import { fencedBlock, structureChecks } from './structure.ts'

export type CodeZeroParts = {
  spec: CodeZeroSpec
  format: CodeZeroFormat
  solverFolder: string
  /** Null where a server judges. */
  judgeModel: JudgeModel | null
  openCodeJudge(model: SequenceScorer & TokenChooser): Promise<CodeJudge>
  /** Opens the judge of a server, which needs no model here. */
  openServedJudge?: (() => Promise<CodeJudge>) | undefined
}

/** Small Python functions, scored by their form and by what a frozen model says of them. */
export function codeZero({ openCodeJudge, openServedJudge, ...parts }: CodeZeroParts): Environment<Problem> {
  const { spec, format } = parts
  const { weights, difficulty, proposing } = spec
  const formWeight = structureChecks.reduce((sum, name) => sum + weights[name], 0)
  return {
    ...parts,
    hash: environmentHash(spec),
    ...(isUncalibrated(spec) ? { caution: UNCALIBRATED } : {}),
    components: scoreComponents,
    proposals: {
      sampling: proposing,
      difficulty,
      prompt: format.proposalPrompt,
      async read(text) {
        const proposal = await parseProposal(text)
        return typeof proposal !== 'string' && mayTrainOn(proposal.problem, spec.tasks) ? proposal.problem : null
      },
      faultOf: (text, level) => faultOf(text, level, spec.tasks),
      tell: task => datasetProposal(task, spec.tasks),
      async keyOf(text) {
        const proposal = await parseProposal(text)
        return typeof proposal === 'string' ? text : sameTask(proposal.problem)
      },
    },
    async openJudge(model) {
      const judge = await (openServedJudge?.() ?? openCodeJudge(needed(model)))
      return {
        async score(answers) {
          const scores = await scoreAnswers(judge, weights, answers)
          return scores.map(score => ({ ...score, correctness: score.components.predictedCorrectness }))
        },
      }
    },
    solvedShare: score => Math.min(1, Math.max(0, (score - formWeight) / weights.predictedCorrectness)),
    roundTasks: async (seed, proposed) =>
      proposed > 0 || spec.whenSilent === 'nothing' ? [] : standInTasks(spec, seed),
    drawTasks,
    heldOutTasks,
  }
}

const UNCALIBRATED =
  "nobody measured how well this environment's judge tells right answers from wrong ones (judge.measured is null): points and learning may follow noise"

const isUncalibrated = ({ judge }: CodeZeroSpec) => judge.kind === 'trueFalse' && judge.measured === null

function needed<T>(model: T | null): T {
  if (model === null) throw new RangeError('CodeZero is judged by a model')
  return model
}

/** Why a text is not put up as a proposal of a level; null where it is. */
async function faultOf(text: string, level: number, rule: CodeZeroSpec['tasks']): Promise<string | null> {
  const proposal = await parseProposal(text)
  if (typeof proposal === 'string') return proposal
  const admitted = admitProblem(proposal.problem)
  if (admitted === 'not understood' && rule === 'wellFormed') return null
  if (typeof admitted === 'string') return admitted
  return admitted.level === level ? null : 'another level'
}

function drawTasks(level: Level, count: number, seed: string): DrawnTask<Problem>[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => drawTrainingTask(level, random)).map(problem => ({
    text: problem.text,
    problem,
  }))
}

/** What solvers are asked where no proposer asked anything: as many tasks as one would propose, at the level that proposers start at. */
function standInTasks(spec: CodeZeroSpec, seed: Hex): RoundTask<Problem>[] {
  const level = spec.difficulty.startLevel as Level
  return drawTasks(level, proposalsPerRound(spec), `silent ${seed}`).map(task => ({ ...task, level }))
}

/** Right is what passes the tests of its task. */
async function heldOutTasks(level: Level, count: number): Promise<HeldOutTask<Problem>[]> {
  return mapYielding(await canaryTasks(level, count), (task, i) => {
    let tests: StrictTest[] | undefined
    const check = (text: string) => {
      tests ??= canaryTests(task, level, i)
      return { code: fencedBlock(text)?.code ?? '', tests }
    }
    return { problem: task, check }
  })
}
