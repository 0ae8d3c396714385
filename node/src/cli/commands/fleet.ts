import { join, resolve } from 'node:path'
import { systemClock } from '#core/clock.ts'
import type { Command } from '../command.ts'
import { whole } from '../options/wholeNumber.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

const MAIN = join(import.meta.dirname, '../main.ts')

/** Runs all peers of a machine. */
export const fleet: Command = {
  usage: `npx waggle fleet FOLDER [OPTIONS]

Runs every peer with a folder in FOLDER until Ctrl-C, each in its own process with the settings of its waggle.yaml. Create
the folders with npx waggle join --data FOLDER/NAME. A peer that fails is restarted, after 5 seconds at first and after at
most 5 minutes; a peer with wrong settings is not. Each line of output begins with the name of its peer.

  --gpus LIST         numbers of CUDA devices, separated by commas: peers that do not run on the CPU take them in turn
  --metrics-port N    serve /health, /ready and /metrics of the first peer at port N of loopback, of the next at N + 1, …`,
  options: { gpus: { type: 'string' }, 'metrics-port': { type: 'string' } },
  positionals: ['FOLDER'],
  async run({ gpus, 'metrics-port': port }, [folder = '']) {
    const { fleetPeers } = await import('../fleet/fleetPeers.ts')
    const { runFleet } = await import('../fleet/runFleet.ts')
    const metricsPort = port === undefined ? undefined : whole('metrics-port', port, 0, 65_535)
    const peers = fleetPeers(resolve(folder), { gpus: gpuList(gpus), metricsPort, main: MAIN })
    const width = Math.max(...peers.map(({ name }) => name.length))
    const refused = await runFleet(peers, {
      program: process.execPath,
      clock: systemClock,
      signal: stopSignal(),
      tell: (name, line) => console.log(`${name.padEnd(width)}  ${line}`),
    })
    if (refused.length > 0)
      throw new UsageError(`Not started: ${refused.join(', ')}.`, {
        hint: 'The lines above say what is wrong with each.',
      })
  },
}

function gpuList(said: unknown): string[] {
  if (said === undefined) return []
  const list = String(said).split(',')
  if (list.every(gpu => /^(\d+|GPU-[0-9a-f-]+)$/.test(gpu)) && new Set(list).size === list.length) return list
  throw new UsageError(`Bad --gpus '${said}'.`, {
    hint: 'Give numbers like 0,1,2, or UUIDs as nvidia-smi -L shows them.',
  })
}
