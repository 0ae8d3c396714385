import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { expect } from 'vitest'
import { ENVIRONMENT, SPECIFICATION, type TestChain } from '../../../indexer/test/testChain.ts'
import { digest, type TestPeer } from '../../../indexer/test/testPeers.ts'
import { openIdentity } from '../../../node/src/store/identity.ts'
import { runCli } from '../../../node/test/cliProcess.ts'
import { type BrowserScene, see, solver } from '../browserScene.ts'
import { answers } from '../fixtures/indexerAnswers.ts'
import { always, openSigningScene, peerRow, TOKEN } from '../signingScene.ts'

/** Signatures of a reader's wallet, on a real chain with the real contracts. */
export function testSigning(scene: BrowserScene): void {
  scene.browserTest(
    'a wallet switches to the chain, bets, claims, stakes, registers, demands and appeals, and a reload keeps what it sent',
    async () => {
      const signing = await openSigningScene(scene)
      const { chain, folder, origin, terms, game } = signing
      const { account, ...peer } = signing.peer
      const { page, signer } = await signing.open('/market/0')

      await page.getByRole('button', { name: 'Connect account' }).click()
      await page.getByRole('button', { name: 'Switch to test' }).click()
      await page.getByRole('button', { name: 'Switch to test' }).waitFor({ state: 'detached' })
      await page.getByRole('combobox').selectOption('palindromes')
      await page.getByLabel('Nectar').fill('4')
      await see(page, 'Most that you can lose')
      await page.getByText('4 shares').waitFor()
      await page.getByRole('button', { name: 'Bet 4 Nectar' }).click()
      const sent = page.getByRole('complementary', { name: 'Your transactions' })
      await expect.poll(() => sent.getByText('done').count(), { timeout: 20_000 }).toBe(2)
      await page.getByText('on palindromes4 Nectarcan pay 4').waitFor()

      await page.reload()
      await sent.getByText('Bet 4 Nectar on palindromes').waitFor()
      await game.prove()
      Object.assign(terms, { status: 'answered', answer: 1, answeredAtSec: game.times.startsAtSec + 700 })
      await page.reload()
      await page.getByText('on palindromes4 Nectarcan pay 4').waitFor()
      await see(page, 'the time for a dispute ends')
      // No event tells it: only the clock.
      await game.passDispute()
      await see(page, 'The answer stands: the first winner who claims ends the game.')
      await page.getByRole('button', { name: 'Claim 4 Nectar' }).click()
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
        .getByRole('button', { name: /^Stake .* Nectar$/ })
        .first()
        .click()
      await own.getByRole('button', { name: 'Unstake' }).click()
      await own.getByRole('button', { name: /^Withdraw 100 from round/ }).waitFor()
      const stake = { ...chain.contracts.stakes, functionName: 'stakeOf', args: [0, peer.peerKey] } as const
      expect((await chain.client.readContract(stake)).amountWei).toBe(100n * TOKEN)

      // A key in a folder, whose owner has the command sign for the wallet's account.
      const data = join(folder, 'peer')
      const { peerKey } = await openIdentity(data)
      const env = { WAGGLE_RPC_URL: chain.url, WAGGLE_DEPLOYMENT: chain.recordPath }
      const { stdout: proof } = await runCli(['prove', account.address, '--data', data], env)
      await page.goto(`${origin}/register`)
      await page.getByLabel('What it prints').fill(proof)
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      const holder = { ...chain.contracts.peerRegistry, functionName: 'accountOf', args: [peerKey] } as const
      await expect.poll(() => chain.client.readContract(holder), { timeout: 20_000 }).toBe(account.address)
      const box = page.getByLabel('What it prints')
      await expect.poll(() => box.inputValue(), { timeout: 20_000 }).toBe('')
      await page.getByRole('link', { name: 'Waggle, home' }).click()
      const ownPeers = page.locator('section[aria-labelledby=own-peers] li')
      await expect.poll(() => ownPeers.count(), { timeout: 20_000 }).toBe(2)

      // Another account of the wallet takes it over, by its own proof.
      const other = (await chain.register()).account
      await signer.choose(other)
      await page.goto(`${origin}/register`)
      await page.getByLabel('What it prints').fill(proof)
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      await see(page, `This proof is for the account ${account.address}.`)
      const { stdout: moving } = await runCli(['prove', other.address, '--data', data], env)
      await page.getByLabel('What it prints').fill(moving)
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      await expect.poll(() => chain.client.readContract(holder), { timeout: 20_000 }).toBe(other.address)
      await signer.choose(account)

      scene.dashboard.gateway.answers = path =>
        path === '/v1/specification' ? { hash: ENVIRONMENT, specification: SPECIFICATION, places: 4 } : undefined
      const round = await settleRound(chain, { account, ...peer }, async work => {
        scene.dashboard.indexer.answers.Peer = always({
          ...(answers.Peer?.({ peerKey: solver.peerKey }) as object),
          peer: { ...peerRow, ...peer, account: account.address },
          rolloutCommitments: { items: [{ ...work, ordinal: 0 }] },
        })
        await page.goto(`${origin}/peers/${peer.peerKey}`)
        await page.getByRole('button', { name: `Demand an answer of round ${work.round}: bond` }).click()
        const demands = { ...chain.contracts.challenges, eventName: 'LeafDemanded', fromBlock: 0n } as const
        await expect
          .poll(async () => (await chain.client.getContractEvents(demands)).length, { timeout: 20_000 })
          .toBe(1)
      })
      const settlement = { round, outcome: 'scored', scoreMilli: 500, votes: 2, openChallenges: 0 }
      scene.dashboard.indexer.answers.Peer = always({
        ...(answers.Peer?.({ peerKey: solver.peerKey }) as object),
        peer: { ...peerRow, ...peer, account: account.address },
        settlements: { items: [settlement] },
      })
      await page.goto(`${origin}/peers/${peer.peerKey}`)
      await page.getByRole('button', { name: `Appeal 500 of round ${round}: bond 0.01` }).click()
      const scored = {
        ...chain.contracts.challenges,
        functionName: 'caseOf',
        args: [BigInt(round), peer.peerKey],
      } as const
      const appellant = async () => (await chain.client.readContract(scored)).last.appellant
      await expect.poll(appellant, { timeout: 20_000 }).toBe(account.address)
    },
  )
}

/** Withdrawals of a peer's owner: pay of a final round, and a stake that is free. */
export function testTaking(scene: BrowserScene): void {
  scene.browserTest('an owner claims what a final round earned, and withdraws a stake that is free', async () => {
    const signing = await openSigningScene(scene)
    const { chain, peer } = signing
    const nectar = chain.contracts.nectar
    const held = { ...nectar, functionName: 'balanceOf', args: [peer.account.address] } as const
    const params = [peer.account.address, nectar.address, 100n * TOKEN]
    await chain.client.request({ method: 'anvil_dealERC20', params } as never)
    await chain.stake(peer)
    const freeFrom = await chain.unstake(peer)
    const settled = await settleRound(chain, peer, async () => {})
    await chain.enter(settled + Number(await chain.finalityRounds()) + 1)
    const { page } = await signing.open(`/peers/${peer.peerKey}`)
    await page.getByRole('button', { name: 'Connect account' }).click()
    const withdraw = page.getByRole('button', { name: `Withdraw 100 from round ${freeFrom} on` })
    await withdraw.waitFor()
    expect(await withdraw.isEnabled()).toBe(false)
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    const sent = page.getByRole('complementary', { name: 'Your transactions' })
    await sent.getByText('done').waitFor()
    const earned = await chain.client.readContract(held)
    expect(earned).toBeGreaterThan(0n)

    await chain.enter(freeFrom)
    await withdraw.click()
    await expect.poll(() => chain.client.readContract(held), { timeout: 20_000 }).toBe(earned + 100n * TOKEN)
  })
}

/** Plays the first round, in which all keys count, until the score of a solver is settled. @returns the round. */
async function settleRound(
  chain: TestChain,
  peer: TestPeer,
  whileVotes: (
    work: Record<'root' | 'policyHash' | 'contentId', string> & { round: number; leafCount: number },
  ) => Promise<void>,
): Promise<number> {
  const seats = [await chain.register(), await chain.register(), await chain.register()]
  for (const seat of seats) await chain.admit(seat)
  const round = 0
  await chain.enter(round)
  await chain.commit(peer, round, 8)
  await chain.enter(round + 1)
  const ballots = seats.map(evaluator => ({ evaluator, scores: [{ peer, scoreMilli: 500 }] }))
  for (const ballot of ballots) await chain.commitVotes(round, ballot)
  const [policyHash, contentId] = [digest('policy'), digest('rollout bundle')]
  await whileVotes({ ...{ round, root: digest('rollouts 8'), leafCount: 8 }, policyHash, contentId })
  await chain.enter(round + 2)
  for (const ballot of ballots) await chain.revealVotes(round, ballot)
  await chain.enter(round + 3)
  await chain.settle(round, [peer])
  return round
}
