import { codeZero } from '#environments/codezero/codeZero.ts'
import { type CodeZeroSpec, codeZeroSpecSchema } from '#environments/codezero/environmentSpec.ts'
import { trueFalseJudge } from '#environments/codezero/judge/trueFalseJudge.ts'
import { kind } from '#environments/codezero/kind.ts'
import { formatProposal } from '#environments/codezero/parseProposal.ts'
import { chatMessages, environmentFrom } from '#environments/codezero/presets.ts'
import { type ChatPrompts, chatFormat } from '#environments/codezero/promptFormat.ts'
import { initialDifficulty, observeSolvedShare } from '#environments/difficulty.ts'
import type { Environment, TokenChooser } from '#environments/environment.ts'
import type { EnvironmentKind } from '#environments/environmentKind.ts'
import { type EnvironmentSpec, environmentHash } from '#environments/environmentSpec.ts'
import type { ChatTokenizer } from '#environments/promptFormat.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { commonProbes, wordOf } from './commonProbes.ts'
import type { Probe, Probes } from './fields.ts'

const { solver, proposer, judgeSystem: system, judgeQuestion: question } = chatMessages
const seed = wordOf('01')

/** Specification of a model's folder, so that loading obeys it. */
export function codeZeroSpec(tokenizerHash: `0x${string}`, vocabSize: number): CodeZeroSpec {
  return environmentFrom('qwen', {
    prompts: { format: 'chat', tokenizerHash, vocabSize, solver, proposer },
    judge: {
      ...{ kind: 'trueFalse', weightsHash: seed, tokenizerHash, precision: 'float32', model: null, system, question },
      calibration: { bias: 0, slope: 1 },
      measured: { balancedAccuracy: 0.8, ece: 0.05, pairs: 400, samples: 200 },
    },
  })
}

/** One token a character; the end of a turn is the last of them. */
export const letters: ChatTokenizer = {
  endTokens: [69_999],
  encode: async text => Int32Array.from([...text], character => character.charCodeAt(0)),
  decode: async ids => String.fromCharCode(...ids),
  chatPrompt: async messages => letters.encode(messages.map(({ role, content }) => `${role}:${content};`).join('')),
}

const judging = { predictCorrectness: async (pairs: readonly unknown[]) => pairs.map(() => 0.5) }

function open(spec: CodeZeroSpec): Environment {
  const prompts = spec.prompts.format === 'chat' ? { ...spec.prompts, vocabSize: 70_000 } : undefined
  if (prompts === undefined) throw new RangeError('not of chat models')
  return codeZero({
    ...{ spec, format: chatFormat(letters, prompts), solverFolder: '', judgeModel: null },
    openCodeJudge: async () => judging,
    writer: { model: null, write: async (_, sampling) => [{ text: JSON.stringify(sampling), ended: true }] },
  }) as Environment
}

/** Scores of answers in which one part of the form each is missing. */
async function scores(spec: CodeZeroSpec): Promise<number[]> {
  const problem = { name: 'f', parameters: ['a'], text: 'Return a plus 1.' }
  const right = '```python\ndef f(a):\n    return a + 1\n```'
  const texts = [right, right.slice(10, -3), right.replace('def f', 'def g'), right.replace('(a)', '(a'), `${right} so`]
  const judge = await open(spec).openJudge({} as Parameters<Environment['openJudge']>[0])
  const answers = texts.flatMap(text => [true, false].map(ended => ({ problem, text, ended })))
  return (await judge.score(answers)).map(({ score }) => score)
}

const proposed = async (spec: CodeZeroSpec) =>
  open(spec).proposals?.write(2, 4, seed, new AbortController().signal, null)

/** The level over a run of shares that rises, with noise. */
function levels({ difficulty }: CodeZeroSpec): number[] {
  const random = seededRandom('levels')
  let state = initialDifficulty(difficulty)
  return Array.from({ length: 200 }, (_, round) => {
    const share = 0.2 + (0.6 * (round % 50)) / 50 + random.between(0, 20) / 100
    state = observeSolvedShare(state, { round, solvedShare: Math.min(1, share), next: round + 1 }, difficulty)
    return state.level
  })
}

/** The judge's input, and its verdict on the answer. */
async function judged({ judge }: CodeZeroSpec): Promise<unknown> {
  if (judge.kind !== 'trueFalse') return judge.kind
  const shown: string[] = []
  const chooser: TokenChooser = {
    async choose(choices) {
      for (const { tokens } of choices) shown.push(await letters.decode(tokens, 'keep'))
      return choices.map(() => [-0.1, -2])
    },
  }
  const pairs = [{ code: 'def f(a):\n    return a + 1\n', problem: { name: 'f', parameters: ['a'], text: 'Add 1.' } }]
  return [await (await trueFalseJudge(chooser, letters, judge, 4096)).predictCorrectness(pairs), shown]
}

/** The result of loading a model's folder: an error's code, or what was loaded. A load starts a thread, so that each is done once. */
export function loading<Spec extends EnvironmentSpec>(
  kind: Pick<EnvironmentKind<Spec>, 'load'>,
  folder: string,
): (spec: Spec) => Promise<unknown> {
  const known = new Map<string, Promise<unknown>>()
  return spec => {
    const loaded = () =>
      kind.load(spec, { modelFolder: folder, judgeFolder: folder }).then(
        ({ judgeModel }) => ({ judgeModel }),
        error => error.code,
      )
    const key = JSON.stringify(spec)
    const found = known.get(key) ?? loaded()
    known.set(key, found)
    return found
  }
}

const prompts = async (spec: CodeZeroSpec) => {
  const { format } = open(spec)
  const asking = format as unknown as { proposalPrompt(level: number, form: string): Promise<Int32Array> }
  const problem = { name: 'f', parameters: ['a'], text: 'Add 1.' }
  return [await format.solverPrompt(problem), await asking.proposalPrompt(2, 'write')]
}

/** A weight that is raised, and the judge's lowered, so that they still add up to 1. */
const weight: Probe<CodeZeroSpec> = { value: 0.09, also: { 'weights.predictedCorrectness': 0.75 }, seen: scores }
const rule: Partial<Probe<CodeZeroSpec>> = { seen: levels }
const unknownText = formatProposal({
  problem: { name: 'f', parameters: ['a'], text: 'Return the colour of a.' },
  tests: ['assert f(1) == 2'],
})

/** @param loaded - what loading a folder says that the specification is of. */
export const codeZeroProbes = (loaded: (spec: CodeZeroSpec) => unknown): Probes<CodeZeroSpec> => ({
  ...commonProbes,
  'weights.fenced': weight,
  'weights.parses': weight,
  'weights.defines': weight,
  'weights.adheres': weight,
  'weights.ends': weight,
  'weights.predictedCorrectness': { value: 0.75, also: { 'weights.ends': 0.09 }, seen: scores },
  'proposing.temperature': { value: 0.3, seen: proposed },
  'proposing.maxNewTokens': { value: 9, seen: proposed },
  'difficulty.startLevel': { ...rule, value: 4, seen: levels },
  'difficulty.bandLow': { ...rule, value: 0.5, seen: levels },
  'difficulty.bandHigh': { ...rule, value: 0.95, seen: levels },
  'difficulty.window': { ...rule, value: 3, seen: levels },
  'difficulty.trendThreshold': { ...rule, value: 0.3, seen: levels },
  'difficulty.checkEvery': { ...rule, value: 3, seen: levels },
  'prompts.format': { also: { prompts: { format: 'starter' } }, seen: loaded },
  'prompts.tokenizerHash': { value: wordOf('99'), seen: loaded },
  'prompts.vocabSize': { value: 440, seen: ({ prompts }) => chatFormat(letters, prompts as ChatPrompts).vocabSize },
  'prompts.solver': { value: 'Solve.', seen: prompts },
  'prompts.proposer': { value: 'Propose.', seen: prompts },
  tasks: { value: 'wellFormed', seen: spec => open(spec).proposals?.faultOf(unknownText, 2) },
  whenSilent: { value: 'nothing', seen: spec => open(spec).roundTasks(seed, 0) },
  repairing: { value: 1, seen: spec => open(spec).drawTasks(2, 8, 'seed') },
  'judge.kind': {
    also: { judge: { kind: 'backTranslation', weightsHash: seed } },
    seen: loaded,
  },
  'judge.weightsHash': { value: wordOf('99'), seen: loaded },
  'judge.tokenizerHash': { value: wordOf('99'), seen: loaded },
  'judge.precision': { value: 'int8', seen: loaded },
  'judge.model': { value: 'OWNER/JUDGE@main', seen: spec => kind.judgeOf(spec) },
  'judge.system': { value: 'Judge.', seen: judged },
  'judge.question': { value: 'Right?', seen: judged },
  'judge.calibration.bias': { value: 1, seen: judged },
  'judge.calibration.slope': { value: 2, seen: judged },
  // A judge that tells nothing is refused; the other figures are what was measured, for who measures again.
  'judge.measured.balancedAccuracy': { value: 0.55, seen: spec => codeZeroSpecSchema.safeParse(spec).success },
  'judge.measured.ece': { value: 0.2, seen: environmentHash },
  'judge.measured.pairs': { value: 10, seen: environmentHash },
  'judge.measured.samples': { value: 10, seen: environmentHash },
})
