import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type BrowserScene, first, see, solver } from '../browserScene.ts'
import { games } from '../fixtures/games.ts'
import { emptyAnswers } from '../fixtures/indexerAnswers.ts'
import { CONTESTED_ROUND, CURRENT_ROUND, evaluators, onlookers, solvers, standings } from '../fixtures/swarm.ts'

/** Peers: found, and each on its page. */
export function testPeers(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest('a score that is appealed is contested on every page, though its round is final', async () => {
    const contested = solvers[2] ?? solver
    const round = await visit(`/rounds/${CONTESTED_ROUND}`)
    const cell = (page: Page, name: string) => page.getByRole('row', { name }).getByText('contested')
    await cell(round, contested.name).waitFor()
    await round.getByRole('row', { name: solver.name }).getByText('final', { exact: true }).waitFor()
    await see(round, /Its .* points are appealed to 11 seats/)
    const peer = await visit(`/peers/${contested.peerKey}`)
    await cell(peer, String(CONTESTED_ROUND)).waitFor()
    await see(peer, /Its .* points are appealed to 11 seats/)
    // A winner of an earlier game reads how much it is owed, and how to claim it.
    await see(peer, '0.0086')
    await see(peer, 'npx waggle challenge withdraw')
    await cell(await visit('/'), contested.name).waitFor()
  })

  browserTest('peers are found by name, by peer id and by account, and the rest is a page further', async () => {
    const page = await visit('/')
    const rows = page.locator('section[aria-labelledby=leaderboard] tbody tr')
    await rows.first().waitFor()
    await page.getByRole('link', { name: `All ${standings.length} peers` }).click()
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(20)
    await page.getByRole('link', { name: 'Next' }).click()
    await see(page, 'Page 2 of 2')
    expect(await rows.count()).toBe(standings.length - 20)

    const search = page.getByRole('searchbox')
    const lookFor = async (text: string, expected: number) => {
      await search.fill(text)
      await page.waitForURL(url => url.searchParams.get('q') === text)
      await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(expected)
    }
    const onlooker = first(onlookers)
    await lookFor(onlooker.name.slice(0, -2), 1)
    await lookFor(onlooker.peerId.slice(-8), 1)
    await lookFor(onlooker.account, standings.filter(row => row.account === onlooker.account).length)
    await lookFor('nobody at all', 0)
    await see(page, 'No peer matches “nobody at all”.')
    await search.fill('')
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(20)
    expect(new URL(page.url()).search, 'the peers without points are still there').toBe('?all=1')

    await lookFor(onlooker.name.slice(0, -2), 1)
    await page.getByRole('link', { name: 'Waggle, home' }).click()
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(solvers.length)
    expect(await search.inputValue()).toBe('')
  })

  browserTest('a peer’s page shows who it is, its reward history and its rounds', async () => {
    // By its name: that leads to its key.
    const page = await visit(`/peers/${solver.name.replaceAll(' ', '-')}`)
    await page.getByRole('heading', { name: solver.name }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/peers/${solver.peerKey}`)
    await see(page, /On held-out tasks, in round \d+: reward 0/)
    await see(page, solver.peerId)
    await see(page, solver.account)
    await see(page, 'Waggle 0.4.0')
    await expect.poll(() => page.locator('[data-bar]').count(), { timeout: 20_000 }).toBe(CURRENT_ROUND - 2)
    const newest = page.locator('section[aria-labelledby=history] tbody tr').first()
    await newest.getByText('Open').waitFor()
    expect(await newest.textContent()).toBe(`${CURRENT_ROUND}Open64 rollouts–not yet–`)
    await see(page, 'by its score')
    await see(page, 'to claim')
    const bets = page.locator('section[aria-labelledby=bets] li')
    expect(await bets.first().textContent()).toMatch(/^10 Nectar on palindromes, Which task .*Open, /)
  })

  browserTest(
    'a peer of the gateway’s operator has training figures, said to be its own report; others have none',
    async () => {
      for (const width of [1280, 390]) {
        const page = await visit(`/peers/${solver.peerKey}`, { width })
        const section = page.locator('section[aria-labelledby=training]').filter({ visible: true })
        await section.getByText('The operator’s own report').waitFor()
        const facts = await section.getByRole('definition').allTextContents()
        expect(facts.slice(0, 3)).toEqual(['HuggingFaceTB/SmolLM2-135M-Instruct, LoRA adapter', 'cpu', '1 d 3 h'])
        expect(facts.at(-1)).toMatch(/^[\d,]+, 1,300 a second$/)
        const curves = await section
          .locator('path[data-figure]')
          .evaluateAll(paths => paths.map(path => path.dataset.figure))
        expect(curves).toEqual(['Reward', 'pass@1', 'Loss', 'KL', 'Entropy'])
        const taken = await section.getByRole('listitem').allTextContents()
        expect(taken).toEqual(
          [solvers[2], solvers[1]].map(giver => expect.stringMatching(`^${giver?.name}.*40 groups$`)),
        )
      }
      const page = await visit(`/peers/${solvers[1]?.peerKey}`)
      await see(page, /On held-out tasks, in round \d+/)
      expect(await page.getByText('own report').count()).toBe(0)
    },
  )

  browserTest('evaluators and proposers stand with their stakes, and with what their roles earned', async () => {
    const page = await visit('/roles')
    const evaluating = page.locator('section[aria-labelledby=evaluators] tbody tr').filter({ visible: true })
    await evaluating.first().waitFor()
    expect(await evaluating.count()).toBe(evaluators.length)
    // The first seat of each committee is paid 40 Nectar a round.
    expect(await evaluating.first().textContent()).toContain(first(evaluators).name)
    expect(await evaluating.first().textContent()).toMatch(/99\.001\.00 slashed1,440\.00/)
    const proposing = page.locator('section[aria-labelledby=proposers] tbody tr').filter({ visible: true })
    expect(await proposing.textContent()).toMatch(/9\d %36/)
    const judging = page.locator('section[aria-labelledby=judges] tbody tr').filter({ visible: true })
    expect(await judging.textContent()).toMatch(/1 of 110\.000\.16$/)
    // In the game with a winner one bettor was right; the other can claim its share of that choice, and lost on another.
    const betting = page.locator('section[aria-labelledby=bettors] tbody tr').filter({ visible: true })
    await expect
      .poll(async () => (await betting.allInnerTexts()).map(text => text.split(/\s+/).at(-1)))
      .toEqual(['+6.00', '−3.00'])
    const phone = await visit('/roles', { width: 390 })
    await phone.getByRole('columnheader', { name: 'Learnability' }).waitFor()
    await phone.getByRole('cell', { name: /^9\d %$/ }).waitFor()
    scene.dashboard.indexer.answers = emptyAnswers
    await page.reload()
    await see(page, 'Nobody has taken an evaluator’s seat yet.')
    await see(page, 'Nobody has proposed a task yet.')
  })

  browserTest('a peer that only judges games has them on its page, and no rank or rewards', async () => {
    const judge = onlookers.find(({ account }) => account === games[0]?.judge)
    const page = await visit(`/peers/${judge?.peerKey}`)
    await see(page, 'Judge of the market: 2 games, 1 of 1 answer stood.')
    const opened = page.getByRole('region', { name: 'Games it opened' }).getByRole('listitem')
    expect(await opened.first().getByRole('link').getAttribute('href')).toBe('/market/1')
    expect(await opened.last().textContent()).toMatch(/^Game 0: Choice 1 won/)
    for (const text of ['Rank', 'Reward history', 'Rounds'])
      expect(await page.getByRole('main').getByText(text, { exact: true }).count(), text).toBe(0)
  })

  browserTest('an evaluator’s page shows its seat, and a newcomer’s from when it counts', async () => {
    const page = await visit(`/peers/${first(evaluators).peerKey}`)
    await see(page, /Evaluator, seated since round 0; opened 40 of 41 sealed votes/)
    await see(page, 'Nectar by openings')
    expect(await page.getByText('Rank', { exact: true }).count(), 'of solvers alone').toBe(0)
    await see(page, 'Only solvers are scored.')
    await see(page, 'by openings')
    await see(await visit(`/peers/${first(onlookers).peerKey}`), `Its key counts from round ${CURRENT_ROUND + 2} on.`)
  })
}
