import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'
import { stageOrder } from './stages/stageOrder.ts'

export const options = {
  out: z.string().optional().meta({
    value: 'DIR',
    description: 'folder of the models (default node/models/starter; with --smoke the work folder)',
  }),
  work: z.string().optional().meta({
    value: 'DIR',
    description: "folder of the stages' output (default node_modules/.cache/waggle-starter)",
  }),
  seed: count(0).default(1).meta({ value: 'N', description: 'seed of every stage' }),
  threads: count(1).default(2).meta({
    value: 'N',
    description: 'threads of a stage that runs alone; stages that run at once take one each',
  }),
  smoke: flag('run every stage at a tiny size, to test that it runs'),
  stage: z.enum(stageOrder.flat()).optional().meta({ value: 'NAME', description: 'run only this stage' }),
  json: flag('print the report as one line of JSON at the end'),
  ...helpOption,
}

export const usage: readonly HelpPart[] = [{ calls: 'npm run starter -- [options]' }, { rows: optionRows(options) }]
