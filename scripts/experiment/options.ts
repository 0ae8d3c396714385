import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'

export const options = {
  quick: flag('one seed and a few rounds'),
  data: z.string().optional().meta({
    value: 'DIR',
    description: 'folder of finished runs, by arm and seed (default .waggle/experiments/NAME)',
  }),
  kept: flag('report finished runs, start none'),
  arm: z
    .enum(['shared', 'solo'])
    .optional()
    .meta({ value: 'NAME', description: 'real-model, real-coding: run only this arm' }),
  threads: count(1).default(1).meta({ value: 'N', description: 'threads of each model' }),
  json: flag('print the rows as one line of JSON at the end; a whole run keeps them in docs/benchmarks'),
  ...helpOption,
}

export const usage: readonly HelpPart[] = [
  { calls: 'npm run experiment -- NAME [options]' },
  {
    title: 'NAME',
    rows: [
      { name: 'swarm-vs-solo', text: 'do peers that share learn faster than one alone?' },
      { name: 'real-model', text: 'does SmolLM2-135M learn arithmetic in a swarm, and what does sharing add?' },
      { name: 'real-coding', text: 'does SmolLM2-135M learn coding tasks, alone and in a swarm of three?' },
      { name: 'poisoned', text: 'what do honest solvers lose if one of four peers poisons?' },
    ],
  },
  { rows: optionRows(options) },
]
