import { join, resolve } from 'node:path'
import { z } from 'zod'
import { systemClock } from '#core/clock.ts'
import { defineCommand } from '../defineCommand.ts'
import { count } from '../options/optionKinds.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

const own = {
  gpus: z
    .string()
    .transform(list => list.split(','))
    .refine(isGpuList, 'not numbers such as 0,1,2, nor UUIDs as nvidia-smi -L prints them')
    .optional()
    .meta({
      value: 'LIST',
      description:
        'numbers of CUDA devices, separated by commas: they are assigned in turn to the peers that run a model on a GPU, which then use CUDA (--device cuda)',
    }),
  'metrics-port': count(1, 65_535).optional().meta({
    value: 'N',
    description: 'serve /health, /ready and /metrics of the first peer at port N of loopback, of the next at N + 1, …',
  }),
}

/** Runs all peers of a machine. */
export const fleet = defineCommand({
  usage: 'npx waggle fleet FOLDER [OPTIONS]',
  about:
    'Runs every peer with a folder in FOLDER until Ctrl-C, each in its own process with the settings of its waggle.yaml. Create the folders with npx waggle join --data FOLDER/NAME. A peer that fails is restarted, after 5 seconds at first and after at most 5 minutes; a peer with wrong settings is not. Each line of output begins with the name of its peer.',
  own,
  positionals: ['FOLDER'],
  async run({ gpus = [], 'metrics-port': metricsPort }, [folder = '']) {
    const { fleetPeers } = await import('../fleet/fleetPeers.ts')
    const { runFleet } = await import('../fleet/runFleet.ts')
    const warn = (line: string) => console.error(`Warning: ${line}`)
    const peers = await fleetPeers(resolve(folder), { gpus, metricsPort, main: MAIN, warn })
    const width = Math.max(...peers.map(({ name }) => name.length))
    const refused = await runFleet(peers, {
      program: process.execPath,
      clock: systemClock,
      signal: stopSignal(),
      tell: (name, line) => console.log(`${name.padEnd(width)}  ${line}`),
    })
    if (refused.length > 0)
      throw new UsageError(`Not started: ${refused.join(', ')}.`, {
        hint: 'The lines above give the reason for each.',
      })
  },
})

function isGpuList(list: readonly string[]): boolean {
  return list.every(gpu => /^(\d+|(GPU|MIG)-[0-9a-f-]+)$/.test(gpu)) && new Set(list).size === list.length
}
