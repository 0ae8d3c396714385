import { expect, test } from 'vitest'
import { checkEnvironment } from '../checkEnvironment.ts'
import type { SequenceScorer, TokenChooser } from '../environment.ts'
import { loadStarterEnvironments } from './loadStarter.ts'
import { presets } from './presets.ts'

/** Finds every answer equally likely. */
const judgeModel: SequenceScorer & TokenChooser = {
  score: async sequences =>
    sequences.map(({ tokens, from }) => {
      const length = tokens.length - from
      return { logprobs: new Float32Array(length).fill(-0.5), gaps: new Float32Array(length).fill(0.5) }
    }),
  choose: async choices => choices.map(({ candidates }) => new Float32Array(candidates.length)),
}

const environments = await loadStarterEnvironments()

test.each(Object.entries(environments).filter(([name]) => name in presets))(
  'nothing is wrong with %s as an environment: no megabyte, nesting or broken encoding breaks its prompts, scores and proposals',
  async (_, environment) => {
    expect(await checkEnvironment(environment, await environment.openJudge(judgeModel))).toEqual([])
  },
)
