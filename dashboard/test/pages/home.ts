import { expect } from 'vitest'
import { type BrowserScene, first, see, solver } from '../browserScene.ts'
import { emptyGatewayAnswers } from '../fixtures/gatewayAnswers.ts'
import { emptyAnswers } from '../fixtures/indexerAnswers.ts'
import { CURRENT_ROUND, solvers, standings } from '../fixtures/swarm.ts'

/** The first page, and what it knows of the reader. */
export function testHome(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest('the first page shows the round from the chain, the peers, the canary and the feed', async () => {
    const page = await visit('/')
    await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
    expect(await page.getByRole('timer').textContent()).toMatch(/^\d+ (s|minutes)$/)
    const comb = page.getByRole('navigation', { name: 'Rounds in flight' })
    await comb.getByRole('link', { name: `${CURRENT_ROUND - 2} Revealing` }).waitFor()
    await see(page, 'Level 3 of 5')
    await see(page, '1 proposer, 3 solvers, 3 evaluators')

    const rows = page.locator('section[aria-labelledby=leaderboard] tbody tr')
    await rows.first().waitFor()
    expect(await rows.count(), 'those who have points').toBe(solvers.length)
    expect(await rows.first().textContent()).toContain(first(standings).name)
    expect(await rows.first().textContent()).toContain('provisional')
    const fromAppeals = standings.slice(0, solvers.length).map(row => (row.compensationWei === '0' ? '–' : '25.00'))
    expect(await rows.locator('td:nth-child(5)').allTextContents()).toEqual(fromAppeals)

    const seats = page.getByRole('region', { name: 'Evaluators' }).getByRole('listitem')
    await seats.first().waitFor()
    expect(await seats.count()).toBe(3)
    const proposers = page.getByRole('region', { name: 'Proposers' })
    await expect.poll(() => proposers.textContent(), { timeout: 20_000 }).toMatch(/wolverine ?3,494\.96/)

    const canary = page.locator('section[aria-labelledby=canary]')
    await canary.getByText('may be fooling its judge').waitFor()
    expect(await canary.getByText('rising together').count()).toBe(2)
    await canary
      .getByText(/judge and execution agreed on \d+ % of the answers: it called \d+ wrong ones right/)
      .waitFor()
    // Two lines in the large chart.
    await canary.locator('figure').first().locator('[data-line]').nth(1).waitFor()
    await see(page, 'proposed 8 tasks')
    await see(page, /^Live$/)
  })

  browserTest('an event of the stream appears without a refresh, and one that was taken back goes', async () => {
    const page = await visit('/')
    await see(page, /^Live$/)
    const { peerKey } = solver
    const item = { id: '999999999999', kind: 'peerMoved', round: null, peerKey, detail: {}, atSec: 1_795_001_000 }
    scene.dashboard.indexer.send('item', item)
    // The index does not have it, so that no refresh brings it.
    await page.getByText('moved to another account').waitFor()
    scene.dashboard.indexer.send('retract', { id: item.id })
    await page.getByText('moved to another account').waitFor({ state: 'detached' })
  })

  browserTest('a connected account sees its own peers, read from the chain', async () => {
    const page = await visit('/', { account: solver.account })
    await page.getByRole('button', { name: 'Connect account' }).click()
    const own = page.locator('section[aria-labelledby=own-peers]')
    await own.getByText(solver.name).waitFor()
    await expect.poll(() => own.getByRole('listitem').count(), { timeout: 20_000 }).toBe(3)
    await page.locator('section[aria-labelledby=leaderboard]').getByText('yours').first().waitFor()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await own.waitFor({ state: 'detached' })
  })

  browserTest('without a wallet the page says what to do', async () => {
    const page = await visit('/')
    await page.getByRole('button', { name: 'Connect account' }).click()
    await see(page, /No wallet was found in this browser/)
  })

  browserTest('a browser without scripts is told what is missing', async () => {
    const page = await visit('/rounds', { isScriptless: true })
    await page.locator('noscript p').waitFor()
  })

  browserTest('an address with malformed percent encoding has no page, and the server does not fail', async () => {
    for (const path of ['/peers/%25', '/peers/%E0%A4%A', '/bettors/%E0%A4%A']) {
      const { status } = await fetch(scene.dashboard.url + path)
      expect(status, path).toBe(404)
    }
  })

  browserTest('a swarm that has only just begun has a sentence for every part', async () => {
    scene.dashboard.indexer.answers = emptyAnswers
    scene.dashboard.gateway.answers = emptyGatewayAnswers
    const page = await visit('/')
    for (const text of [
      'No peer has registered yet.',
      'Nothing has happened yet.',
      'No canary has run yet.',
      'Not set yet',
    ])
      await see(page, text)
    await page.goto(`${scene.dashboard.url}/rounds`)
    await see(page, 'No round has begun yet.')
    await page.goto(`${scene.dashboard.url}/rounds/7`)
    await see(page, 'No solver has committed to rollouts for round 7.')
    await see(page, 'The gateway node has no problems of this round.')
    await page.goto(`${scene.dashboard.url}/peers/${solver.peerKey}`)
    await see(page, 'No such cell in this comb')
  })
}
