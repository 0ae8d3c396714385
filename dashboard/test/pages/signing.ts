import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { expect, onTestFinished } from 'vitest'
import { TestChain } from '../../../indexer/test/testChain.ts'
import { type BrowserScene, see } from '../browserScene.ts'
import { games } from '../fixtures/games.ts'
import { answers } from '../fixtures/indexerAnswers.ts'
import { openGame } from '../openGame.ts'
import { serveBesideChain } from '../startDashboard.ts'
import { injectSigner } from '../wallet.ts'

const TOKEN = 10n ** 18n
const always = (answer: unknown) => () => answer

/** What a reader's wallet signs, on a real chain with the real contracts. */
export function testSigning(scene: BrowserScene): void {
  scene.browserTest(
    'a wallet switches to the chain, bets, claims and stakes, and a reload keeps what it sent',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'waggle-signing-'))
      const chain = await TestChain.start(folder)
      onTestFinished(async () => {
        chain.stop()
        await rm(folder, { recursive: true })
      })
      const { account, ...peer } = await chain.register()
      const { times, end } = await openGame(chain)
      await chain.market.mint(account.address, 10n * TOKEN)
      const terms = { ...games[0], gameId: '0', roundCount: 1, clues: { items: [] }, ...times }
      scene.dashboard.indexer.answers = {
        ...answers,
        Game: always({ game: terms }),
        Peer: variables => {
          const known = answers.Peer?.(variables) as { peer: unknown }
          return { ...known, peer: { ...peerRow, ...peer, account: account.address } }
        },
      }
      const { url: origin, stop } = await serveBesideChain(scene.dashboard, chain)
      onTestFinished(stop)
      const page = await scene.visit('/market/0', { origin, prepare: page => injectSigner(page, chain.url, account) })

      await page.getByRole('button', { name: 'Connect account' }).click()
      await page.getByRole('button', { name: 'Switch to test' }).click()
      await page.getByRole('button', { name: 'Switch to test' }).waitFor({ state: 'detached' })
      await page.getByRole('combobox').selectOption('palindromes')
      await page.getByLabel('Nectar').fill('4')
      await see(page, 'Most that you can lose')
      await page.getByText('4 shares').waitFor()
      await page.getByRole('button', { name: 'Bet 4 nectar' }).click()
      const sent = page.getByRole('complementary', { name: 'Your transactions' })
      await expect.poll(() => sent.getByText('done').count(), { timeout: 20_000 }).toBe(2)
      await page.getByText('on palindromes4 nectar').waitFor()

      await page.reload()
      await sent.getByText('Bet 4 nectar on palindromes').waitFor()
      await end()
      Object.assign(terms, { status: 'resolved', winner: 1, answer: 1, pot: '0' })
      await page.reload()
      await page.getByRole('button', { name: 'Claim 4 nectar' }).click()
      await expect.poll(() => sent.getByText('done').count(), { timeout: 20_000 }).toBe(3)
      const balance = { address: chain.market.token, abi: erc20Abi, functionName: 'balanceOf' } as const
      expect(await chain.client.readContract({ ...balance, args: [account.address] })).toBe(10n * TOKEN)

      const nectar = chain.contracts.nectar.address
      await chain.client.request({
        method: 'anvil_dealERC20',
        params: [account.address, nectar, TOKEN * 100n],
      } as never)
      await page.goto(`${origin}/peers/${peer.peerKey}`)
      const own = page.locator('section[aria-labelledby=actions]')
      await own
        .getByRole('button', { name: /^Stake .* nectar$/ })
        .first()
        .click()
      await own.getByRole('button', { name: 'Give notice' }).click()
      await own.getByRole('button', { name: /^Take back 100 from round/ }).waitFor()
      const stake = { ...chain.contracts.stakes, functionName: 'stakeOf', args: [0, peer.peerKey] } as const
      expect((await chain.client.readContract(stake)).amountWei).toBe(100n * TOKEN)
    },
  )
}

const peerRow = {
  name: 'a-real-peer',
  registeredAtSec: 1,
  countsFromRound: 0,
  roundsProposed: 0,
  roundsSolved: 0,
  roundsSettled: 0,
}
