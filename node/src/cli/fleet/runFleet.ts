import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Clock } from '#core/clock.ts'

/** A peer of a fleet, with the arguments of its process. */
export interface FleetPeer {
  readonly name: string
  readonly argv: readonly string[]
  /** On top of the fleet's own environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface FleetOptions {
  /** Program that runs with each peer's `argv`. */
  readonly program: string
  readonly clock: Clock
  /** Ends all peers in good order. */
  readonly signal: AbortSignal
  /** Called with each line of a peer's output or of the fleet's own messages. */
  readonly tell: (name: string, line: string) => void
}

/** Exit codes after which a restart does not help: success, and a usage error. */
const FINAL = [0, 64]

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000
/** A peer that ran for this long can start; its delay is reset. */
const WELL_MS = 600_000

/**
 * Runs peers until all have ended, each in its own process. One that fails is restarted with exponential backoff.
 *
 * @returns the names of those that ended with a usage error, such as wrong settings.
 */
export async function runFleet(peers: readonly FleetPeer[], options: FleetOptions): Promise<string[]> {
  const ends = await Promise.all(peers.map(async peer => ({ name: peer.name, code: await keepRunning(peer, options) })))
  return ends.filter(({ code }) => code !== 0).map(({ name }) => name)
}

/** @returns the last exit code; 0 if it was asked to stop. */
async function keepRunning(peer: FleetPeer, { program, clock, signal, tell }: FleetOptions): Promise<number> {
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    const begunMs = clock.nowMs()
    const { code, how } = await runOnce(peer, program, signal, line => tell(peer.name, line))
    if (signal.aborted) break
    if (FINAL.includes(code)) {
      if (code !== 0) tell(peer.name, 'does not start: correct the error that it printed, and start the fleet again')
      return code
    }
    if (clock.nowMs() - begunMs >= WELL_MS) waitMs = FIRST_WAIT_MS
    tell(peer.name, `ended ${how}; starts again in ${waitMs / 1000} s`)
    await clock.sleep(waitMs, signal).catch(() => {}) // stopped
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
  return 0
}

async function runOnce(
  { argv, env }: FleetPeer,
  program: string,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<{ code: number; how: string }> {
  const child = spawn(program, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', tell)
  try {
    return await endOf(child)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Resolves after its output has been read to the end. */
const endOf = (child: ChildProcess) =>
  new Promise<{ code: number; how: string }>(resolve => {
    child.once('error', error => resolve({ code: 1, how: `by an error: ${error.message}` }))
    child.once('close', (code, by) => resolve({ code: code ?? 1, how: by === null ? `with code ${code}` : `by ${by}` }))
  })
