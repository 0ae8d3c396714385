import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { knownNetworks } from '@waggle/deployments/networks'
import { readDeployment } from '@waggle/deployments/record'
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { TestChain } from '../../indexer/test/testChain.ts'
import type { TestPeer } from '../../indexer/test/testPeers.ts'
import type { BrowserScene } from './browserScene.ts'
import { games } from './fixtures/games.ts'
import { answers } from './fixtures/indexerAnswers.ts'
import { openGame } from './openGame.ts'
import { injectSigner, type Signer } from './wallet.ts'

export const TOKEN = 10n ** 18n
export const always = (answer: unknown) => () => answer

/** A row of the index. */
export const peerRow = {
  name: 'a-real-peer',
  registeredAtSec: 1,
  countsFromRound: 0,
  roundsProposed: 0,
  roundsSolved: 0,
  roundsSettled: 0,
}

export interface SigningScene {
  folder: string
  chain: TestChain
  origin: string
  /** Peer of the wallet's account. */
  peer: TestPeer
  game: Awaited<ReturnType<typeof openGame>>
  /** The index's answer about game 0. */
  terms: Record<string, unknown>
  /** Opens a page with a wallet that signs for the peer's account. */
  open: (address: string, as?: { width?: number; scheme?: 'light' | 'dark' }) => Promise<{ page: Page; signer: Signer }>
}

/**
 * A real chain with the real contracts behind the scene's dashboard, a game that takes bets, and a registered peer.
 *
 * @param network - one that Waggle knows: its name and chain id are the chain's.
 */
export async function openSigningScene(
  scene: BrowserScene,
  network?: keyof typeof knownNetworks,
): Promise<SigningScene> {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-signing-'))
  const chain = await TestChain.start(folder, network && knownNetworks[network].chainId)
  onTestFinished(async () => {
    chain.stop()
    await rm(folder, { recursive: true })
  })
  const peer = await chain.register()
  const game = await openGame(chain)
  await chain.market.mint(peer.account.address, 10n * TOKEN)
  const terms = { ...games[0], gameId: '0', roundCount: 1, clues: { items: [] }, ...game.times }
  const { account, ...row } = peer
  scene.dashboard.indexer.answers = {
    ...answers,
    Game: always({ game: terms }),
    Peer: variables => {
      const known = answers.Peer?.(variables) as { peer: unknown }
      return { ...known, peer: { ...peerRow, ...row, account: account.address } }
    },
  }
  const deployment = readDeployment(chain.recordPath)
  onTestFinished(await scene.dashboard.follow({ ...deployment, ...(network && { network }) }, chain.url))
  return {
    ...{ folder, chain, peer, game, terms },
    origin: scene.dashboard.url,
    async open(address, as = {}) {
      const signing: { signer?: Signer } = {}
      const page = await scene.visit(address, {
        ...as,
        prepare: async page => {
          signing.signer = await injectSigner(page, chain.url, account)
        },
      })
      return { page, signer: signing.signer as Signer }
    },
  }
}
