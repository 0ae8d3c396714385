import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The chain's own binary: its npm wrapper would not pass on a SIGKILL. */
export function anvilBinary(): string {
  const system = platform() === 'win32' ? 'win32' : platform()
  const name = `@foundry-rs/anvil-${system}-${arch() === 'x64' ? 'amd64' : arch()}`
  try {
    const folder = dirname(require.resolve(`${name}/package.json`))
    return join(folder, 'bin', system === 'win32' ? 'anvil.exe' : 'anvil')
  } catch {
    throw new Error(
      `no local chain for this machine: ${name} is not installed; run npm install again without --omit=optional`,
    )
  }
}

interface AnvilOptions {
  port: number
  chainId?: number
  /** File that keeps the chain across runs; written every second. */
  statePath?: string
  /** Seconds between blocks; without it a block is mined for each transaction. */
  blockTimeSec?: number
  /** Time to begin at; the machine's without it. */
  timeSec?: number
}

export function anvilArgv({ port, chainId = 31_337, statePath, blockTimeSec, timeSec }: AnvilOptions): string[] {
  const argv = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--quiet']
  if (blockTimeSec !== undefined) argv.push('--block-time', String(blockTimeSec))
  if (timeSec !== undefined) argv.push('--timestamp', String(timeSec))
  // `--state` alone is written only at exit: a kill would lose the chain.
  if (statePath !== undefined) argv.push('--state', statePath, '--state-interval', '1')
  return argv
}
