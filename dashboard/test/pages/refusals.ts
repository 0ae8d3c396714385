import type { Page } from 'playwright-core'
import { erc20Abi } from 'viem'
import { expect } from 'vitest'
import { ENVIRONMENT, SPECIFICATION } from '../../../indexer/test/testChain.ts'
import { digest } from '../../../indexer/test/testPeers.ts'
import { type BrowserScene, see, solver } from '../browserScene.ts'
import { always, openSigningScene, type SigningScene, TOKEN } from '../signingScene.ts'

const sentFrom = (page: Page) => page.getByRole('complementary', { name: 'Your transactions' })
const connect = (page: Page) => page.getByRole('button', { name: 'Connect account' }).click()

/** The market may take this account's stake, so that a bet is one call. */
async function approve({ chain, peer }: SigningScene): Promise<void> {
  const token = { address: chain.market.token, abi: erc20Abi, account: peer.account, chain: null } as const
  await chain.mined(
    chain.client.writeContract({ ...token, functionName: 'approve', args: [chain.market.address, 10n * TOKEN] }),
  )
}

async function writeBet(page: Page): Promise<void> {
  await page.getByRole('combobox').selectOption('palindromes')
  await page.getByLabel('Nectar').fill('4')
  await page.getByText('4 shares').waitFor()
}

/** Runs in the page before it: notes on the body if the ticket's button was enabled and then disabled before anybody clicked. */
function noteWithdrawals(): void {
  let isEnabled = false
  const look = () => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Bet 4 Nectar')
    if (isEnabled && button?.disabled) document.body.dataset.withdrawals = 'some'
    isEnabled = button !== undefined && !button.disabled
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  document.addEventListener('pointerdown', () => observer.disconnect(), { capture: true })
}

/** From now on the page's reads of contracts fail; `end` waits until some have. */
async function refuseReads(page: Page): Promise<{ end: () => Promise<void> }> {
  const REFUSED = 12
  let refused = 0
  await page.route('**/rpc', route => {
    if (!route.request().postData()?.includes('"eth_call"')) return route.continue()
    refused += 1
    return route.abort()
  })
  return {
    async end() {
      await expect.poll(() => refused).toBeGreaterThanOrEqual(REFUSED)
      await page.unroute('**/rpc')
    },
  }
}

/** Faults between a page, a wallet and a chain, and the message to the reader. */
export function testRefusals(scene: BrowserScene): void {
  const { browserTest } = scene

  browserTest(
    'a refused switch and a refused signature send nothing, and the same button works afterwards',
    async () => {
      const signing = await openSigningScene(scene)
      await approve(signing)
      const { page, signer } = await signing.open('/market/0')
      await connect(page)
      await page.getByLabel('Nectar').fill('40')
      await page.getByRole('button', { name: 'Bet 40 Nectar' }).click()
      await see(page, 'The account has 10 Nectar, and this takes 40.')
      expect(signer.decided).not.toContain('wallet_switchEthereumChain')
      expect(signer.decided).not.toContain('eth_sendTransaction')
      await writeBet(page)
      const bet = page.getByRole('button', { name: 'Bet 4 Nectar' })
      for (const refused of ['wallet_switchEthereumChain', 'eth_sendTransaction']) {
        signer.refuse(refused)
        await bet.click()
        await expect.poll(() => signer.decided.at(-1)).toBe(refused)
        await page.getByText('The wallet refused. Nothing was sent.').waitFor()
        await expect.poll(() => bet.isEnabled()).toBe(true)
        expect(await sentFrom(page).count()).toBe(0)
        signer.refuse(null)
      }
      await bet.click()
      await sentFrom(page).getByText('done').waitFor()
      expect(await page.getByText('The wallet refused').count()).toBe(0)
    },
  )

  browserTest('a page that is reloaded before the block shows what waits, and then how it ended', async () => {
    const signing = await openSigningScene(scene, 'sepolia')
    const { chain, game } = signing
    await approve(signing)
    const { page } = await signing.open('/market/0')
    await connect(page)
    await writeBet(page)
    await chain.client.setAutomine(false)
    const bet = page.getByRole('button', { name: 'Bet 4 Nectar' })
    await bet.click()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    const outage = await refuseReads(page)
    await page.reload()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    await chain.client.mine({ blocks: 1 })
    await sentFrom(page).getByText('done').waitFor()
    await outage.end()
    await page.getByText('on palindromes4 Nectar').waitFor()
    const { transactions } = await chain.client.getBlock()
    const link = await sentFrom(page).getByRole('link').getAttribute('href')
    expect(link).toBe(`https://sepolia.etherscan.io/tx/${transactions[0]}`)

    // Once more, and the betting ends before the block.
    await writeBet(page)
    await bet.click()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    await page.reload()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    await chain.client.setNextBlockTimestamp({ timestamp: BigInt(game.times.startsAtSec + 601) })
    await chain.client.mine({ blocks: 1 })
    await sentFrom(page).getByText('refused by the contract').waitFor()
    await page.reload()
    await sentFrom(page).getByText('refused by the contract').waitFor()
    expect(await sentFrom(page).getByText('done').count()).toBe(1)
  })

  browserTest('two pages of one browser keep what both sent, and what is forgotten stays so', async () => {
    const signing = await openSigningScene(scene)
    const { chain } = signing
    await approve(signing)
    const { page } = await signing.open('/market/0')
    const other = await page.context().newPage()
    await other.goto(`${signing.origin}/rounds`)
    await connect(page)
    await writeBet(page)
    await chain.client.setAutomine(false)
    await page.getByRole('button', { name: 'Bet 4 Nectar' }).click()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    await sentFrom(other).getByText('waiting for a block').waitFor()
    await other.getByRole('button', { name: 'Forget them' }).click()
    await sentFrom(page).waitFor({ state: 'detached' })
    await chain.client.mine({ blocks: 1 })
    await page.getByText('on palindromes4 Nectar').waitFor()
    expect(await sentFrom(page).count()).toBe(0)
    await page.reload()
    await page.getByText('on palindromes4 Nectar').waitFor()
    expect(await sentFrom(page).count()).toBe(0)
  })

  browserTest('another account of the wallet has its own peers, bets and buttons', async () => {
    const signing = await openSigningScene(scene)
    const { chain, peer } = signing
    const second = await chain.register()
    await approve(signing)
    const { page, signer } = await signing.open(`/peers/${peer.peerKey}`)
    await connect(page)
    const own = page.getByRole('heading', { name: 'Your peer' })
    await own.waitFor()
    await page.getByRole('button', { name: 'Stake 100 Nectar' }).click()
    await see(page, 'The account has 0 Nectar, and this takes 100.')
    expect(signer.decided).not.toContain('eth_sendTransaction')
    await signer.choose(second.account)
    await own.waitFor({ state: 'detached' })
    await signer.choose(peer.account)
    await own.waitFor()

    await page.addInitScript(noteWithdrawals)
    await page.goto(`${signing.origin}/market/0`)
    await writeBet(page)
    await page.getByRole('button', { name: 'Bet 4 Nectar' }).click()
    await page.getByText('on palindromes4 Nectar').waitFor()
    expect(await page.locator('body').getAttribute('data-withdrawals')).toBeNull()
    await signer.choose(second.account)
    await page.getByRole('heading', { name: 'Your bets' }).waitFor({ state: 'detached' })

    // It bets, and the reader chooses the first one again between the two calls of that.
    await chain.market.mint(second.account.address, 10n * TOKEN)
    await writeBet(page)
    await chain.client.setAutomine(false)
    await page.getByRole('button', { name: 'Bet 4 Nectar' }).click()
    await sentFrom(page).getByText('waiting for a block').waitFor()
    await signer.choose(peer.account)
    await page.getByRole('heading', { name: 'Your bets' }).waitFor()
    await chain.client.mine({ blocks: 1 })
    await see(page, 'The wallet has switched to another account: “Bet 4 Nectar on palindromes in game 0” was not sent.')
    expect(signer.decided.filter(method => method === 'eth_sendTransaction')).toHaveLength(2)
  })

  browserTest('a bond that rose since it was shown is shown again before the wallet is asked', async () => {
    const signing = await openSigningScene(scene)
    const { chain, peer } = signing
    const demanding = await chain.register()
    await chain.enter(0)
    await chain.commit(peer, 0, 8)
    await chain.enter(1)
    const work = { root: digest('rollouts 8'), leafCount: 8, policyHash: digest('policy') }
    const { indexer, gateway } = scene.dashboard
    const known = indexer.answers.Peer?.({ peerKey: solver.peerKey }) as object
    const commitment = { round: 0, ordinal: 0, ...work, contentId: digest('rollout bundle') }
    indexer.answers = { ...indexer.answers, Peer: always({ ...known, rolloutCommitments: { items: [commitment] } }) }
    gateway.answers = path =>
      path === '/v1/specification' ? { hash: ENVIRONMENT, specification: SPECIFICATION, places: 4 } : undefined
    const { page, signer } = await signing.open(`/peers/${peer.peerKey}`)
    // Before the page connects: a change of account makes it read the bond once more.
    await signer.choose(demanding.account)
    await connect(page)
    const demand = page.getByRole('button', { name: /^Demand an answer of round 0: bond/ })
    const shown = await demand.textContent()

    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 20n * 10n ** 9n })
    await chain.client.mine({ blocks: 1 })
    await demand.click()
    await page.getByText(/^The bond is now .*, more than was shown. Try again to send this\.$/).waitFor()
    expect(signer.decided).not.toContain('eth_sendTransaction')
    expect(await demand.textContent()).not.toBe(shown)
    await demand.click()
    await sentFrom(page).getByText('done').waitFor()
  })
}
