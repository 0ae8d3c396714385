import { z } from 'zod'
import type { HelpPart } from '../../node/src/cli/layOutHelp.ts'
import { flag } from '../../node/src/cli/options/optionKinds.ts'
import { optionRows } from '../../node/src/cli/options/settingOptions.ts'
import { helpOption } from '../base/commandLine.ts'

export const options = {
  pack: z.string().optional().meta({
    value: 'DIR',
    description: 'gpu: write a kit for a machine without network instead: copy DIR there and execute DIR/run',
  }),
  import: z.string().optional().meta({
    value: 'FILE',
    description: 'gpu: keep the rows of a gpu.json that a kit wrote on another machine in docs/benchmarks',
  }),
  tiny: flag('gpu: a tiny shape, also without a GPU, to test the run; keeps no results'),
  elapsed: z.coerce.number().min(0).default(0).meta({
    value: 'SEC',
    description: 'gpu: seconds of the ten minutes of all rows that have passed before',
  }),
  json: flag('print the rows as one line of JSON at the end, and keep them in docs/benchmarks'),
  out: z.string().optional().meta({
    value: 'FILE',
    description: 'write the rows as JSON to this file after each one; rows that are not measured yet have no value',
  }),
  ...helpOption,
}

export const usage: readonly HelpPart[] = [
  {
    calls: `npm run bench -- GROUP [ROW…] [options]
npm run bench -- report`,
  },
  {
    title: 'GROUP',
    rows: [
      { name: 'generate', text: 'tokens a second of a Qwen2.5-0.5B-shaped model' },
      { name: 'train', text: 'a GRPO step of the same shape' },
      { name: 'gpu', text: "generation and training on a GPU, against its limits, torch and this machine's CPU" },
      { name: 'gas', text: 'what each step costs on the chain, against its bars' },
      { name: 'proof', text: 'how reliably evaluators find tokens that do not follow from their seed' },
      { name: 'loop', text: 'how long the peers of a swarm block their event loops' },
      {
        name: 'codezero',
        text: "the starter's judge compared with execution, the levels, proposals, and hostile answers",
      },
      {
        name: 'product',
        text: 'cold start, joining a running swarm, response times of the dashboard and the index; one row needs Postgres: set DATABASE_URL',
      },
      {
        name: 'network',
        text: 'payloads between peers, some of them slow, and the calls of an idle peer to its RPC endpoint',
      },
    ],
  },
  {
    rows: [
      { name: 'report', text: 'write docs/benchmarks.md from the results that were kept' },
      { name: 'ROW', text: 'measure only these rows (default: all of the group)' },
    ],
  },
  { rows: optionRows(options) },
  'Weights and peers are kept in node_modules/.cache/waggle-bench. If a tool to compare with cannot be set up, its rows have no value. Exits with 3 if a row misses its bar or has no value.',
]
