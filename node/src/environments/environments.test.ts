import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentKinds, parseSpec, presets } from './builtIn.ts'
import { small } from './reasoning/kind.ts'

const root = join(import.meta.dirname, '..', '..', '..')

test('an environment’s folder is imported only by the list of environments and by what makes its models', () => {
  const sources = globSync(['node/src/**/*.ts', 'scripts/**/*.ts', 'indexer/{src,rules}/**/*.ts'], { cwd: root })
  const others = sources.filter(
    path => !/\.test\.ts$|^scripts\/(starter|bench\/codezero)|^node\/src\/environments\/(\w+\/|builtIn\.ts)/.test(path),
  )
  expect(others.length).toBeGreaterThan(300)
  const inFolder = /from '(?:#environments|(?:\.\.?\/)+(?:[\w/]*\/)?environments)\/\w+\/|import\('#environments\/\w+\//
  expect(others.filter(path => inFolder.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  const shared = sources.filter(
    path => /^node\/src\/environments\/[\w.]+$/.test(path) && !/builtIn|\.test\./.test(path),
  )
  expect(shared.filter(path => /from '\.\/\w+\//.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test('a specification is read by the schema of the kind that it names', () => {
  expect(parseSpec(JSON.parse(JSON.stringify(presets.starter)))).toEqual(presets.starter)
  expect(() => parseSpec({ ...presets.starter, groupSize: 1 })).toThrow('groupSize')
  expect(() => parseSpec({ ...presets.starter, name: 'toString' })).toThrow('name')
  expect(Object.keys(environmentKinds)).toContain(presets.starter.name)
})

const { starter, qwen } = presets

test.each<[string, object, string]>([
  ['too few answers', { ...qwen, groupSize: 4 }, 'expected tasksPerRound * groupSize, 8, not 16'],
  ['too many tasks', { ...starter, tasksPerRound: 16 }, 'expected tasksPerRound * groupSize, 128, not 64'],
  ['more scored leaves than owed ones', { ...qwen, sampledLeaves: 256 }, 'expected at most owedLeaves, 16, not 256'],
  [
    'answers whose bundle is too large',
    { ...qwen, tasksPerRound: 64, owedLeaves: 512, groupSize: 8, solving: { ...qwen.solving, maxNewTokens: 3000 } },
    'expected at most 2709 with 512 answers a round, not 3000',
  ],
  [
    'a deviation that no group reaches',
    { ...starter, training: { ...starter.training, minGroupDeviation: 0.6 } },
    'expected at most 0.535 with groupSize 8, not 0.6',
  ],
  [
    'a canary that cannot be published',
    { ...starter, canary: { ...starter.canary, tasks: 100, samplesPerTask: 50 } },
    'expected tasks * samplesPerTask of at most 4096, not 5000',
  ],
  [
    'a moment that never decays',
    { ...starter, training: { ...starter.training, betas: [0.9, 1] } },
    'expected number to be <1',
  ],
  [
    'a temperature that no sampler takes',
    { ...starter, solving: { ...starter.solving, temperature: 1e-30 } },
    'expected 0, or at least 0.01',
  ],
  [
    'a text that a contract could take for a field',
    { ...qwen, preset: 'jowedLeaves\u0001' },
    'expected once in the specification',
  ],
  [
    'more answers to learn from than a group has',
    { ...starter, training: { ...starter.training, answersPerGroup: 64 } },
    'expected at most groupSize, 8, not 64',
  ],
  [
    'more groups to learn from than a round has',
    { ...starter, training: { ...starter.training, ownGroups: 9 } },
    'expected at most tasksPerRound, 8, not 9',
  ],
  [
    'a band that ends before it begins',
    { ...starter, difficulty: { ...starter.difficulty, bandLow: 0.9, bandHigh: 0.1 } },
    'expected at most bandHigh',
  ],
  [
    'a warm-up that outlasts the run',
    { ...starter, training: { ...starter.training, schedule: 'cosine', totalRounds: 5 } },
    'expected fewer than totalRounds',
  ],
  [
    'several updates on own groups that mixed never makes',
    { ...qwen, training: { ...qwen.training, ownUpdates: 2 } },
    'expected 1 with sharing.mode mixed',
  ],
  [
    'several updates on the groups of a peer that mixed never makes',
    { ...qwen, sharing: { ...qwen.sharing, updatesPerPeer: 2 } },
    'expected none with sharing.mode mixed',
  ],
  [
    'a limit of external groups that updateForEachPeer never reads',
    { ...starter, sharing: { ...starter.sharing, externalGroups: 4 } },
    'expected null with mode updateForEachPeer',
  ],
  [
    'rounds of a run whose rate is constant',
    { ...starter, training: { ...starter.training, totalRounds: 40 } },
    'expected null with schedule constant',
  ],
])('a specification with %s is refused', (_, spec, message) => {
  expect(() => parseSpec(spec)).toThrow(message)
})

test('each preset is a sound specification', () => {
  for (const preset of Object.values(presets)) expect(parseSpec(preset)).toEqual(preset)
  const prompts = {
    format: 'chat',
    tokenizerHash: `0x${'11'.repeat(32)}`,
    vocabSize: 448,
    solver: 'Solve.',
    examples: [],
  }
  expect(parseSpec({ ...small, prompts })).toMatchObject(small)
})
