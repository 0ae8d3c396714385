import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { shellWord } from '#core/shellWord.ts'
import { isDiskFull } from '#store/diskSpace.ts'
import { migrateFolder } from '#store/folderFormat.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { UsageError } from '../usageError.ts'
import { requireApart } from './requireApart.ts'
import type { FleetPeer } from './runFleet.ts'
import { usesGpu } from './usesGpu.ts'

const MAX_PORT = 65_535

interface FleetAsked {
  /** Numbers of CUDA devices, or their UUIDs. */
  readonly gpus: readonly string[]
  /** Port of the first peer's metrics; each other's is one higher. */
  readonly metricsPort: number | undefined
  /** Program of the command line. */
  readonly main: string
  /** Called with what is allowed and probably a mistake. */
  readonly warn: (line: string) => void
}

/**
 * The peers whose folders are in a folder, by name, with their settings checked.
 *
 * @throws {UsageError} if there are none, or some cannot run together.
 */
export async function fleetPeers(folder: string, asked: FleetAsked): Promise<FleetPeer[]> {
  const names = existsSync(folder)
    ? readdirSync(folder).filter(name => existsSync(join(folder, name, SETTINGS_FILE)))
    : []
  if (names.length === 0)
    throw new UsageError(`${folder} contains no peer's folder.`, {
      hint: `Make each by npx waggle join --network NAME --data ${shellWord(join(folder, 'NAME'))}, and stop it by Ctrl-C once it is connected.`,
    })
  const { metricsPort } = asked
  const lastPort = (metricsPort ?? 0) + names.length - 1
  if (lastPort > MAX_PORT)
    throw new UsageError(`With --metrics-port ${metricsPort} the last of ${names.length} peers has port ${lastPort}.`, {
      hint: `Name one of at most ${MAX_PORT - names.length + 1}.`,
    })
  const configs = names.sort().map((name, i) => {
    const options = metricsPort === undefined ? {} : { 'metrics-port': metricsPort + i }
    return { name, config: loadConfig({ data: join(folder, name), ...options }, migrateIfSpace) }
  })
  for (const { name, config } of configs) {
    if (config.role === undefined)
      throw new UsageError(`${join(folder, name, SETTINGS_FILE)} names no role.`, {
        hint: 'Add a line like role: solver.',
      })
  }
  requireApart(configs)
  const gpus = await gpusOf(configs, asked)
  return configs.map(({ name }, i) => {
    const { options, env } = runOn(gpus.get(name))
    return { name, argv: [asked.main, 'start', '--data', join(folder, name), ...options, ...metricsOf(asked, i)], env }
  })
}

/** A peer with a full disk reports that itself and is restarted; the others keep running. */
function migrateIfSpace(folder: string, said: (line: string) => void): void {
  try {
    migrateFolder(folder, said)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** With `--device auto` a peer without CUDA would take WebGPU, which ignores the variable: all of them would run on the first GPU. */
const runOn = (gpu: string | undefined) =>
  gpu === undefined ? { options: [], env: {} } : { options: ['--device', 'cuda'], env: { CUDA_VISIBLE_DEVICES: gpu } }

type Named = { readonly name: string; readonly config: Config }

const metricsOf = ({ metricsPort }: FleetAsked, i: number) =>
  metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort + i)]

/** Assigns GPUs in turn to the peers that run a model on one. */
async function gpusOf(peers: readonly Named[], { gpus, warn }: FleetAsked): Promise<Map<string, string>> {
  if (gpus.length === 0) return new Map()
  const using: Named[] = []
  for (const peer of peers) if (await usesGpu(peer.config)) using.push(peer)
  const other = using.find(({ config }) => config.device === 'webgpu')
  if (other)
    throw new UsageError(`${other.name} runs on webgpu, which --gpus does not hand out.`, {
      hint: 'Run such peers in containers with a GPU each: deployments/docker/compose.yaml, profile nvidia.',
    })
  const names = using.map(({ name }) => name).join(', ') || 'none'
  if (using.length > gpus.length)
    warn(`${using.length} peers share ${gpus.length} GPUs, and each needs memory for its own models: ${names}`)
  if (using.length < gpus.length)
    warn(`${gpus.length - using.length} of ${gpus.length} GPUs stay idle; peers that run a model on a GPU: ${names}`)
  return new Map(using.map(({ name }, i) => [name, gpus[i % gpus.length] as string]))
}
