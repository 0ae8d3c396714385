import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'

const everywhere = {
  plot: z.string().optional().meta({ value: 'DIR', description: 'protocol, attacks: write plots to DIR' }),
  json: flag('print one line of JSON at the end; network and protocol also keep it in docs/benchmarks, unless --quick'),
  ...helpOption,
}
const ofModels = { quick: flag('only a few seeds or strategies: two minutes') }
const ofNetwork = {
  seed: count(0)
    .optional()
    .meta({ value: 'N', description: 'play one seed of the run again, exactly; nothing is kept' }),
  long: flag('simulate thousands of peers instead: how they find each other, and what each receives'),
}
const ofAttacks = { runs: count(2).default(100).meta({ value: 'N', description: 'seeded runs of each attack' }) }
const ofRows = {
  only: z.string().optional().meta({ value: 'NAMES', description: 'only these attacks or rows, separated by commas' }),
}

export const options = { ...everywhere, ...ofModels, ...ofNetwork, ...ofAttacks, ...ofRows }

export const usage: readonly HelpPart[] = [
  {
    calls: `npm run simulate -- network [options]
npm run simulate -- protocol [options]
npm run simulate -- attacks [options]`,
  },
  {
    rows: [
      {
        name: 'network',
        text: 'run real roles on a simulated clock, network and chain, with hostile peers and faults',
      },
      {
        name: 'protocol',
        text: 'search for the most profitable strategy of a coalition on a model, and play the best on the contracts',
      },
      { name: 'attacks', text: 'play scripted attacks on the contracts, with and without the defence against each' },
    ],
  },
  { rows: optionRows(everywhere) },
  { title: 'network, protocol', rows: optionRows(ofModels) },
  { title: 'network', rows: optionRows(ofNetwork) },
  { title: 'attacks', rows: optionRows(ofAttacks) },
  { title: 'attacks, network --long', rows: optionRows(ofRows) },
]
