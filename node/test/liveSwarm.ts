import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'
import { expect } from 'vitest'
import { contractsOf } from '#chain/contracts.ts'
import { createLogger } from '#core/logger.ts'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import { fetchLimits } from '#roles/fetch/fetchLimits.ts'
import type { RoleName } from '#roles/roleName.ts'
import type { RoleOptions } from '#roles/roleOptions.ts'
import type { RoleSettings } from '#roles/roleSettings.ts'
import { startRole } from '#roles/startRole.ts'
import { openIdentity } from '#store/identity.ts'
import { registerPeers } from '../../scripts/swarm/registerPeers.ts'
import { callCli } from './callCli.ts'
import { startFastTime } from './fastTime.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

/** By the contract. */
const BEACON_DRAWN = 2

/** A body may take some steps of fast time, in which a busy machine does little. */
export const patient = { ...fetchLimits, pace: { graceMs: 1_000_000, windowMs: 500_000, minBytesPerSecond: 1 } }

/** Lines of a peer that are remembered. All of them would grow with its age, and hide or pass for a leak. */
const MAX_LINES = 300

/** A line of a peer's log. */
type Said = { message: string } & Record<string, unknown>

type LiveOptions = {
  bootstrapRounds?: number
  roundSeconds?: number
  pauseMs?: number
  chat?: NonNullable<RoleOptions['chat']>
}

export type LiveSwarm = Awaited<ReturnType<typeof startLiveSwarm>>
export type LivePeer = Awaited<ReturnType<LiveSwarm['newPeer']>>

/**
 * A swarm of real roles on a real chain, in this process, that live by its time; commands run in it too.
 *
 * @param bootstrapRounds - first round that needs stakes.
 * @param roundSeconds - chain time of a round, which ends when a test says so.
 * @param chat - environment and models to play with; the starter's without.
 * @param pauseMs - real time between steps of its time: more peers need more of it, and fewer steps.
 */
export async function startLiveSwarm({ bootstrapRounds, roundSeconds = 10_000, pauseMs, chat }: LiveOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), 'waggle-live-'))
  const chain = await startLocalChain()
  const { hash } = chat ? await loadEnvironment(chat.spec, chat) : (await loadEnvironments()).starter
  const deployment = await deployContracts(chain, roundSeconds, hash, bootstrapRounds, roundSeconds)
  const record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
  const env = { WAGGLE_RPC_URL: chain.rpcUrl, WAGGLE_DEPLOYMENT: record }
  const contracts = contractsOf(deployment)
  const { rounds } = contracts
  const startsAtSec = Number(await chain.client.readContract({ ...rounds, functionName: 'startOf', args: [0n] }))
  const time = startFastTime(chain, { startsAtSec, roundSeconds }, pauseMs)
  let round = -1
  const running = new Set<() => Promise<void>>()
  const bootnodes: string[] = []

  /** Keys with some coin, registered, and the roles and commands of their folder. Before round 0 their keys count at once. */
  async function newPeer(name: string) {
    const data = join(root, name)
    const identity = await openIdentity(data)
    await chain.fund(identity.address)
    await registerPeers(chain.rpcUrl, deployment, [identity])
    return {
      ...identity,
      data,
      /** Runs the peer in a role until it is told to stop. */
      async start(
        role: RoleName,
        {
          demands = 0,
          appeals = 0,
          adapter,
          modelFolder,
          baseFolders,
          basesMb,
          served,
        }: Partial<Pick<RoleSettings, 'demands' | 'appeals'>> &
          Pick<RoleOptions, 'adapter' | 'served'> & {
            modelFolder?: string
            baseFolders?: string[]
            basesMb?: number
          } = {},
      ) {
        const log = watchLog()
        const end = new AbortController()
        const done = startRole({
          ...{
            role,
            data,
            deployment,
            rpcUrl: chain.rpcUrl,
            clock: time.clock,
            networkClock: time.clock,
            signal: end.signal,
          },
          network: { listen: ['/ip4/127.0.0.1/tcp/0'], bootnodes: [...bootnodes] },
          openLogger: () => log.logger(time.clock),
          ...{
            limits: patient,
            settings: {
              demands,
              appeals,
              nectarPrice: 0.001,
              bets: 0,
              http: 0,
              bind: '127.0.0.1',
              metricsBind: '127.0.0.1',
              figuresOf: [],
              threads: 1,
              basesMb,
            },
            chat: chat && { ...chat, baseFolders, ...(modelFolder && { modelFolder }) },
            adapter,
            served,
          },
          device: 'cpu',
        })
        done.catch(error => {
          running.delete(stop)
          log.fail(error)
        })
        const stop = async () => {
          running.delete(stop)
          end.abort()
          await done
        }
        running.add(stop)
        const { addresses } = await log.said('started')
        bootnodes.push(...(addresses as string[]))
        return { said: log.said, stop }
      },
      /** Runs a command line in this folder. @returns its output. */
      async waggle(...argv: string[]) {
        const { code, stdout, stderr } = await callCli([...argv, '--data', data, '--json'], env)
        return { code, stderr, said: stdout === '' ? null : JSON.parse(stdout) }
      },
    }
  }

  return {
    chain,
    clock: time.clock,
    deployment,
    /** Record of the deployment. */
    record,
    contracts,
    /**
     * Begins a round, once the peers have recorded the beacon that is due in the one before it.
     *
     * @param slowFrom - share of the round from which its time passes slowly, for a peer that may still be busy with the one before.
     */
    async enter(next: number, slowFrom?: number): Promise<void> {
      // The beacon that is due may be put off to the middle of the round.
      time.hasten()
      const due = BigInt(next - 2)
      const state = () => chain.client.readContract({ ...rounds, functionName: 'beaconStateOf', args: [due] })
      if (next === round + 1 && due >= 0n)
        await expect.poll(async () => (await state())[0], { timeout: 240_000 }).toBe(BEACON_DRAWN)
      round = next
      await time.enter(next, slowFrom)
    },
    newPeer,
    /** Seats an evaluator from the next round on, as who deployed. */
    async admit({ peerKey }: { peerKey: Hex }): Promise<void> {
      const call = { ...contracts.rewardVotes, functionName: 'admitEvaluator', args: [peerKey] } as const
      await chain.mined(chain.client.writeContract({ ...call, account: chain.admin, chain: null }))
    },
    /** Writes a balance into the token's first slot: earning one takes rounds. */
    giveNectar(account: Hex, amountWei: bigint): Promise<void> {
      const index = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [account, 0n]))
      const value = numberToHex(amountWei, { size: 32 })
      return chain.client.setStorageAt({ address: contracts.nectar.address, index, value })
    },
    async stop() {
      await Promise.all([...running].map(stop => stop()))
      await time.stop()
      await chain.stop()
    },
  }
}

/** Remembers what a peer says, and lets a test wait for it. */
function watchLog() {
  const lines: Said[] = []
  const waiting = new Set<{ matches: (line: Said) => boolean; resolve: (line: Said) => void }>()
  let fail: (cause: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const write = (text: string) => {
    const line: Said = JSON.parse(text)
    lines.push(line)
    if (lines.length > MAX_LINES) lines.shift()
    for (const one of waiting) if (one.matches(line) && waiting.delete(one)) one.resolve(line)
  }
  return {
    fail,
    logger: (clock: Parameters<typeof createLogger>[0]['clock']) =>
      createLogger({ write, format: 'json', level: 'info', clock }),
    /** Resolves with the line of these words and values, once it was said. @throws if the peer ends first. */
    said(message: string, fields: Record<string, unknown> = {}): Promise<Said> {
      const wanted = Object.entries({ message, ...fields })
      const matches = (line: Said) => wanted.every(([name, value]) => line[name] === value)
      const known = lines.find(matches)
      if (known !== undefined) return Promise.resolve(known)
      const comes = new Promise<Said>(resolve => waiting.add({ matches, resolve }))
      return Promise.race([comes, failed])
    },
  }
}
