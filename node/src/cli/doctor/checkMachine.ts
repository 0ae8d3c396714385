import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { shellWord } from '#core/shellWord.ts'
import { describeMachine, freeMemory } from '#model/devices.ts'
import { exposedKeys, keysIn } from '#store/exposedKeys.ts'
import { DataFolderLockedError, lockDataFolder } from '#store/lockDataFolder.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { type TcpTarget, tcpTargetOf } from './tcpTarget.ts'

const NODE_MAJOR = 24
const GIB = 2 ** 30
/** For the starter models; chat models need more. */
const LEAST_FREE_MEMORY = GIB
const LEAST_CORES = 2
const integerUnits = ['amx_int8', 'avx512_vnni', 'avx_vnni', 'i8mm', 'asimddp']

/**
 * @param version - as in `process.versions.node`.
 * @param program - path of the running Node: one that npm brought is not the machine's own.
 */
export function checkNode(version: string, program = ''): Finding {
  const isBundled = /[\\/]node_modules[\\/]/.test(program)
  if (Number.parseInt(version, 10) >= NODE_MAJOR) return ok('node', isBundled ? `${version} (bundled)` : version)
  return failure(
    'node',
    `${version}, older than ${NODE_MAJOR}`,
    'Run npm install, and start with npx waggle: it brings its own Node.',
  )
}

export async function checkComputer(): Promise<Finding[]> {
  const { cpu, cores, instructionSets, memoryBytes, gpus } = await describeMachine()
  const free = Math.min(freeMemory(), memoryBytes)
  const units = integerUnits.filter(name => instructionSets.includes(name))
  const processor = `${cpu}, ${cores} cores, ${units.length > 0 ? `8-bit products by ${units.join(' ')}` : 'no units for 8-bit products'}`
  return [
    cores < LEAST_CORES
      ? warning(
          'processor',
          processor,
          'One core is shared by network and model: expect missed rounds. Use a machine of two or more.',
        )
      : ok('processor', processor),
    free < LEAST_FREE_MEMORY
      ? warning(
          'memory',
          `${gibibytes(free)} free`,
          'A peer of the starter models needs about 1 GiB: stop something, or use another machine.',
        )
      : ok('memory', `${gibibytes(free)} free of ${gibibytes(memoryBytes)}`),
    ok('gpu', gpus.length > 0 ? gpus.map(({ name }) => name).join(', ') : 'none; npx waggle devices tries each device'),
  ]
}

/** @param keepBytes - quota for the payloads of other peers. */
export async function checkDisk(data: string, keepBytes: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(existingAbove(data))
  const free = bavail * bsize
  if (free < GIB)
    return failure('disk', `${gibibytes(free)} free at ${data}`, 'Free some space, or name another folder with --data.')
  if (free < keepBytes)
    return warning(
      'disk',
      `${gibibytes(free)} free at ${data}, ${gibibytes(keepBytes)} allowed for payloads`,
      'Lower --keep-mb, or free some space.',
    )
  return ok('disk', `${gibibytes(free)} free at ${data}`)
}

/** Checks that the keys exist and that only their owner can read them. */
export function checkKeys(data: string): Finding {
  const names = keysIn(data)
  if (names.length === 0)
    return failure('keys', `no peer in ${data}`, `Make one: npx waggle join --data ${shellWord(data)}.`)
  const exposed = exposedKeys(data)
  if (exposed.length === 0) return ok('keys', names.join(', '))
  const files = exposed.map(shellWord).join(' ')
  return failure(
    'keys',
    `others on this machine can read ${files}`,
    `Run chmod 600 ${files}; move the funds if you do not trust them.`,
  )
}

/** Whether the peer's listen addresses are free; a running peer of this folder uses its own. */
export async function checkPorts(addresses: readonly string[], isRunning: boolean): Promise<Finding> {
  if (isRunning) return ok('ports', 'held by the running peer')
  const taken: string[] = []
  for (const address of addresses) {
    const target = tcpTargetOf(address)
    const error = target && (await tryListening(target))
    // Without IPv6 the peer listens on its other addresses.
    if (error !== null && error !== 'EAFNOSUPPORT' && error !== 'EADDRNOTAVAIL') taken.push(`${address} (${error})`)
  }
  if (taken.length > 0)
    return failure(
      'ports',
      `cannot listen at ${taken.join(', ')}`,
      'Name another port with --listen, or stop the process that uses it.',
    )
  const isFixed = addresses.some(address => (tcpTargetOf(address)?.port ?? 0) !== 0)
  return isFixed
    ? ok('ports', addresses.join(', '))
    : warning(
        'ports',
        'chosen again at each start',
        'Others reach it through a relay. To be reached directly behind a router, name a port (--listen /ip4/0.0.0.0/tcp/4001) and forward it, or try --upnp.',
      )
}

function tryListening({ host, port }: TcpTarget): Promise<string | null> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

/** Whether a peer is running in the folder, by its lock. */
export function isPeerRunning(data: string): boolean {
  if (!existsSync(data)) return false
  try {
    lockDataFolder(data).release()
    return false
  } catch (error) {
    if (error instanceof DataFolderLockedError) return true
    throw error
  }
}

function existingAbove(path: string): string {
  return existsSync(path) ? path : existingAbove(dirname(path))
}

function gibibytes(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`
}
