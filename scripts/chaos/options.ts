import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { count, flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'
import { QUICK, WHOLE } from './extent.ts'

export const options = {
  quick: flag(`${QUICK.kills} kills in ${QUICK.rounds} rounds instead of ${WHOLE.kills} in ${WHOLE.rounds}`),
  'round-seconds': count(1)
    .optional()
    .meta({
      value: 'N',
      description: `length of a round; raise it on a busy machine (default ${WHOLE.roundSeconds}, with --quick ${QUICK.roundSeconds})`,
    }),
  seed: z.string().default('1').meta({ value: 'TEXT', description: 'seed of times and victims' }),
  keep: flag("keep the swarm's folder with its logs"),
  json: flag('print one line of JSON at the end, and keep the rows of a whole run in docs/benchmarks'),
  ...helpOption,
}

export const usage: readonly HelpPart[] = [
  { calls: 'npm run chaos [-- OPTIONS]' },
  'Starts a swarm on this machine and kills its processes at random: peers, gateway, indexer, chain. Then it waits until the swarm is idle. Committed work must be settled with a score, nothing may have been sent twice, waggle audit must find no difference, and the index must equal one that is built from scratch. In the last rounds four peers lie, and then an endpoint and an index: waggle audit must find that. Exit code 1 if a row misses its bar.',
  { rows: optionRows(options) },
]
