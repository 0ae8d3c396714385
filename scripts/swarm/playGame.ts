import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nectarAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import { parseEther } from 'viem'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { type GamePhase, readGame, readGameCount } from '../../node/src/chain/readGame.ts'
import { connect } from './chainFacts.ts'
import type { SwarmPeer } from './peers.ts'
import { logTail, type Supervisor } from './supervisor.ts'

const cli = join(import.meta.dirname, '..', '..', 'node', 'src', 'cli', 'main.ts')
const plan = join(import.meta.dirname, 'game.yaml')

/** What the Judge's bond and the larger bet take. */
const NEEDED_WEI = parseEther('10')
/** The right choice and a wrong one, by their places in the plan. */
const bets = [
  { choice: '0', stake: '4' },
  { choice: '1', stake: '6' },
]

export interface GameModules {
  supervisor: Supervisor
  deployment: Deployment
  deploymentPath: string
  rpcUrl: string
  peers: SwarmPeer[]
  signal: AbortSignal
  /** Called when the game is on the chain. */
  onOpened: () => void
}

/** A game that has ended: its number, and what the winner was paid. */
export interface PlayedGame {
  gameId: string
  payout: string
}

/**
 * Plays one game of the prediction market with what the peers have earned, by the commands that a person would type: one
 * judges, two bet, and the one that was right claims. The peers keep running meanwhile.
 *
 * @returns null if there are too few peers, or a game was played before.
 */
export async function playGame(modules: GameModules): Promise<PlayedGame | null> {
  const { deployment, rpcUrl, peers, signal } = modules
  const client = { rpc: connect(rpcUrl), rpcUrl }
  const contracts = contractsOf(deployment)
  const [right, wrong, third] = peers.filter(({ role }) => role === 'solver')
  // A solver has its first Nectar a round before an evaluator has.
  const judge = third ?? peers.find(({ role }) => role === 'evaluator')
  if (judge === undefined || right === undefined || wrong === undefined) return null
  if ((await readGameCount(client, contracts)) > 0n) return null

  const hasEarned = async ({ address }: SwarmPeer) => {
    const nectar = { address: deployment.contracts.Nectar.address, abi: nectarAbi } as const
    return (await client.rpc.readContract({ ...nectar, functionName: 'balanceOf', args: [address] })) >= NEEDED_WEI
  }
  const players = [judge, right, wrong]
  await until(async () => (await Promise.all(players.map(hasEarned))).every(earned => earned), signal)
  const { gameId } = await market(modules, judge, ['create', '--file', plan])
  modules.onOpened()
  const game = ['--game', gameId]
  const reaches = (phase: GamePhase) =>
    until(async () => (await readGame(client, contracts, BigInt(gameId))).phase === phase, signal)
  await reaches('betting')
  await Promise.all(
    [right, wrong].map((peer, at) => {
      const { choice, stake } = bets[at] ?? { choice: '', stake: '' }
      return market(modules, peer, ['bet', ...game, '--choice', choice, '--stake', stake])
    }),
  )
  await reaches('awaiting clue')
  await market(modules, judge, ['reveal', ...game])
  await reaches('resolution due')
  const { payout } = await market(modules, right, ['claim', ...game])
  return { gameId, payout }
}

/** One command, as a process of its own; what it said is the last line of its log. */
async function market({ supervisor, deploymentPath, rpcUrl, signal }: GameModules, peer: SwarmPeer, argv: string[]) {
  const surroundings = ['--data', peer.folder, '--deployment', deploymentPath, '--rpc', rpcUrl, '--json']
  const run = await supervisor.start({
    name: `market-${peer.slot}`,
    command: process.execPath,
    argv: [cli, 'market', ...argv, ...surroundings],
  })
  const status = await run.exited
  signal.throwIfAborted()
  const said = await logTail(run.logPath)
  if (status !== 0) throw new Error(`waggle market ${argv[0]} failed (${status}):\n${said}`)
  return JSON.parse(said.split('\n').at(-1) ?? '') as PlayedGame
}

async function until(isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!(await isSo().catch(() => false))) await sleep(500, undefined, { signal })
}
