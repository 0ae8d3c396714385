import { expect, test } from 'vitest'
import { MAX_SEQUENCE_TOKENS, type RolloutBundle, rootOf, type TaskBundle } from '#core/bodies.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { packLogprobs, packTokens } from '#core/packedTokens.ts'
import { codeZero } from '#environments/codezero/codeZero.ts'
import { drawHeldOutTask, drawTrainingTask } from '#environments/codezero/curriculum/drawTask.ts'
import type { Task } from '#environments/codezero/curriculum/task.ts'
import { formatProposal } from '#environments/codezero/parseProposal.ts'
import { environmentFrom } from '#environments/codezero/presets.ts'
import { starterFormat } from '#environments/codezero/promptFormat.ts'
import { proposalPrompt, solverPrompt, starterSpecials } from '#environments/codezero/prompts.ts'
import { seededRandom } from '#environments/seededRandom.ts'
import { admitTasks } from './admitTasks.ts'
import { checkRollouts, drawTasks, type RoundRules, roundRules } from './checkRollouts.ts'
import { proposalsOf } from './proposer/proposalsOf.ts'
import { roundSeed } from './roundSeed.ts'
import { rolloutBundle } from './solver/rolloutBundle.ts'

/** One token a character, above the special ones: what is tested does not depend on the vocabulary. */
const tokenizer = {
  vocabSize: 300,
  encode: (text: string) => Int32Array.from([...text], character => starterSpecials.length + character.charCodeAt(0)),
  decode: (ids: ArrayLike<number>) =>
    Array.from(ids, id =>
      id < starterSpecials.length ? starterSpecials[id] : String.fromCharCode(id - starterSpecials.length),
    ).join(''),
  special: (name: string) => starterSpecials.indexOf(name as (typeof starterSpecials)[number]),
}

const chainId = 31_337
const round = 7
const proposerKey = `0x${'11'.repeat(32)}` as const
const solverKey = `0x${'22'.repeat(32)}` as const
const hash = `0x${'33'.repeat(32)}` as const
const spec = environmentFrom('starter', { tasksPerRound: 2, groupSize: 2, owedLeaves: 4 })
const eos = tokenizer.special('<eos>')
const environment = codeZero({
  spec,
  format: starterFormat(tokenizer),
  solverFolder: '',
  judgeModel: { folder: '', precision: 'float32', weightsHash: null },
  openCodeJudge: async () => ({ predictCorrectness: async pairs => pairs.map(() => 1) }),
})
const { format } = environment

function taskBundle(tasks: Task[]): TaskBundle {
  return {
    v: 1,
    chainId,
    round,
    peerKey: proposerKey,
    policyHash: hash,
    level: 3,
    tasks: tasks.map((task, index) => {
      const text = formatProposal({ problem: task, tests: [`assert ${task.name}([1]) == 1`] })
      const completion = Int32Array.of(...tokenizer.encode(text), eos)
      return {
        index,
        level: 3,
        text,
        seed: hash,
        promptTokens: packTokens(proposalPrompt(tokenizer, 3)),
        completionTokens: packTokens(completion),
        logprobs: packLogprobs(new Float32Array(completion.length).fill(-1)),
      }
    }),
  }
}

const random = seededRandom('check rollouts')
const training = Array.from({ length: 6 }, () => drawTrainingTask(3, random))
const rules: RoundRules = {
  spec,
  format,
  beacon: hash,
  tasks: await admitTasks([{ bundle: taskBundle(training), contentId: hash }], environment),
}

function honestBundle(followed = rules): RolloutBundle {
  const tasks = drawTasks(chainId, round, solverKey, followed)
  const prompts = tasks.map(({ problem }) => solverPrompt(tokenizer, problem as Task))
  const completions = tasks.flatMap((_, prompt) =>
    [0, 1].map(() => {
      const tokens = Int32Array.of(...tokenizer.encode('def f(): pass'), eos)
      return {
        prompt,
        tokens,
        logprobs: new Float32Array(tokens.length).fill(-0.5),
        ended: true,
        sampling: spec.solving,
      }
    }),
  )
  const seed = roundSeed('rollout', chainId, round, followed.beacon, solverKey)
  return rolloutBundle(
    { chainId, round, peerKey: solverKey, policyHash: hash, seed },
    { spec, format },
    tasks,
    prompts,
    completions,
  )
}

test('an honest bundle stands whole', async () => {
  expect(rules.tasks).toHaveLength(6)
  const groups = await checkRollouts(honestBundle(), rules)
  expect(groups.map(({ rollouts }) => rollouts.length)).toEqual([2, 2])
  expect(groups[0]?.rollouts[0]?.text).toBe('def f(): pass')
  expect(rootOf(honestBundle())).toBe(rootOf(honestBundle()))
})

test('where no proposer writes tasks they follow from the beacon, and stand where they are answered', async () => {
  const problems = environment.drawTasks(3, 6, 'a round').map(task => ({ ...task, level: 3 as const }))
  const drawing = { ...environment, roundTasks: async () => problems }
  const drawn = await roundRules(drawing, { chainId, round, beacon: hash }, [])
  expect(drawn.tasks.map(({ problem }) => problem)).toEqual(problems.map(({ problem }) => problem))
  expect(await checkRollouts(honestBundle(drawn), drawn)).toHaveLength(2)
  const other = await roundRules(drawing, { chainId, round, beacon: solverKey }, [])
  expect(await checkRollouts(honestBundle(other), drawn)).toEqual([])
  // Proposed ones come after them.
  const mixed = await roundRules(drawing, { chainId, round, beacon: hash }, rules.tasks)
  expect(mixed.tasks.map(({ ref }) => ref.peerKey)).toEqual([
    ...Array(6).fill(ZERO_HASH),
    ...Array(6).fill(proposerKey),
  ])
})

test('a held-out function is refused as a proposed task, and in a group that was taken from a peer', async () => {
  const held = drawHeldOutTask(3, seededRandom('held'))
  const bundle = taskBundle([held, ...training])
  const admitted = await admitTasks([{ bundle, contentId: hash }], environment)
  expect(admitted.map(({ ref }) => ref.index)).toEqual([1, 2, 3, 4, 5, 6])
  // A peer that answers the held-out task in place of the one drawn for it.
  const smuggled = honestBundle()
  const prompt = packTokens(solverPrompt(tokenizer, held))
  for (const rollout of smuggled.groups[0]?.rollouts ?? []) rollout.promptTokens = prompt
  expect(await checkRollouts(smuggled, rules)).toHaveLength(1)
})

test.each<[string, (bundle: RolloutBundle) => void]>([
  ['another task', bundle => void bundle.groups.reverse()],
  [
    'a seed that was ground',
    bundle =>
      edit(bundle, rollout => {
        rollout.seed = hash
      }),
  ],
  [
    'another temperature',
    bundle =>
      edit(bundle, rollout => {
        rollout.sampling.temperature = 0.1
      }),
  ],
  ['too few answers', bundle => void bundle.groups[0]?.rollouts.pop()],
  [
    'a false end',
    bundle =>
      edit(bundle, rollout => {
        rollout.ended = false
      }),
  ],
  [
    'a task hash of its own',
    bundle => {
      if (bundle.groups[0]) bundle.groups[0].taskHash = hash
    },
  ],
])('a group with %s is left out', async (_, spoil) => {
  const bundle = honestBundle()
  spoil(bundle)
  expect((await checkRollouts(bundle, rules)).length).toBeLessThan(2)
})

test('a task that its proposer repeats is admitted once', async () => {
  const bundle = taskBundle([...training, ...training.slice(0, 2)])
  const admitted = await admitTasks([{ bundle, contentId: hash }], environment)
  expect(admitted.map(({ ref }) => ref.index)).toEqual([0, 1, 2, 3, 4, 5])
})

test('a task whose text is not what its tokens say is refused', async () => {
  const bundle = taskBundle(training)
  const [first, second] = bundle.tasks
  if (first && second) first.text = second.text
  expect(await admitTasks([{ bundle, contentId: hash }], environment)).toHaveLength(5)
})

test('a task with more tokens than a proposal may have, or whose prompt fits no rollout, is refused', async () => {
  const committed = [{ bundle: taskBundle(training), contentId: hash }]
  const proposals = proposalsOf(environment)
  const short = { ...proposals, sampling: { ...proposals.sampling, maxNewTokens: 10 } }
  expect(await admitTasks(committed, { format, proposals: short })).toEqual([])
  const wordy = { ...format, solverPrompt: async () => new Int32Array(MAX_SEQUENCE_TOKENS + 1) }
  expect(await admitTasks(committed, { format: wordy, proposals })).toEqual([])
})

function edit(
  bundle: RolloutBundle,
  change: (rollout: RolloutBundle['groups'][number]['rollouts'][number]) => void,
): void {
  for (const rollout of bundle.groups[0]?.rollouts ?? []) change(rollout)
}
