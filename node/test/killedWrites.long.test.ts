import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const KILLS = 40
/** A round of writes takes about 40 ms on an idle machine. */
const LATEST_KILL_MS = 150
const ROUNDS = 100_000

const kinds = ['bundle', 'policy', 'adapter', 'settings'] as const
type Found = { peerId: string; journal: number; bundle: number; policy: number; adapter: number } & {
  settings: { round: number } & Record<string, unknown>
}

/** Large files that a write had not finished. */
const unfinished = (data: string) =>
  ['policy', 'adapter', 'bundles']
    .filter(folder => existsSync(join(data, folder)))
    .flatMap(folder => readdirSync(join(data, folder), { recursive: true, encoding: 'utf8' }))
    .filter(name => name.endsWith('.tmp'))

/** Runs the writer until it is killed, or through the given rounds. Returns what it found at its start, and its last write of each kind. */
async function live(data: string, rounds: number, killAfterMs?: number) {
  const argv = [join(import.meta.dirname, 'writesChild.ts'), data, String(rounds)]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let found: Found | undefined
  const written: Record<string, number> = {}
  createInterface(child.stdout).on('line', line => {
    const [what = '', ...rest] = line.split(' ')
    if (what !== 'found') written[what] = Number(rest[0])
    else {
      found = JSON.parse(rest.join(' '))
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    }
  })
  const [code, signal] = await ended
  expect({ code, signal }).toEqual(
    killAfterMs === undefined ? { code: 0, signal: null } : { code: null, signal: 'SIGKILL' },
  )
  return { found: found as Found, written }
}

test(`a peer killed ${KILLS} times while it writes finds whole files, and nothing that was written is lost`, async () => {
  const data = join(mkdtempSync(join(tmpdir(), 'waggle-writes-')), 'peer')
  const committed: Record<string, number> = Object.fromEntries(kinds.map(kind => [kind, 0]))
  let peerId: string | undefined
  let inWrites = 0
  /** A write that had not returned may have ended. */
  const expectWhole = ({ settings, ...found }: Found) => {
    expect(found.peerId).toBe(peerId ?? found.peerId)
    expect(found.bundle, 'every round of the journal has its whole bundle').toBe(found.journal)
    const rounds = { ...found, settings: settings.round }
    for (const kind of kinds) {
      expect(rounds[kind], kind).toBeGreaterThanOrEqual(committed[kind] ?? 0)
      expect(rounds[kind], kind).toBeLessThanOrEqual(found.journal)
    }
    expect(settings).toEqual({ 'log-format': 'json', round: settings.round })
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const { found, written } = await live(data, ROUNDS, Math.random() * LATEST_KILL_MS)
    expectWhole(found)
    peerId = found.peerId
    Object.assign(committed, written)
    if (unfinished(data).length > 0) inWrites++
  }
  expect(inWrites, 'kills that fell into a write').toBeGreaterThan(0)
  const { found } = await live(data, 1)
  expectWhole(found)
  expect(unfinished(data), 'what killed writes left').toEqual([])
})
