import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'

export const options = {
  sample: count(1).default(150).meta({ value: 'N', description: 'mutants to try, those of earlier runs included' }),
  seed: z.string().default('waggle').meta({ value: 'TEXT', description: 'seed of the sample' }),
  minutes: count(1).default(55).meta({ value: 'N', description: 'stop after N minutes; the next run resumes' }),
  only: z.string().optional().meta({ value: 'NAMES', description: 'only these contracts, separated by commas' }),
  data: z.string().default('.waggle/mutate').meta({ value: 'DIR', description: 'where verdicts are kept' }),
  json: flag('print one line of JSON at the end'),
  ...helpOption,
}

export const usage: readonly HelpPart[] = [{ calls: 'npm run mutate -- [options]' }, { rows: optionRows(options) }]
