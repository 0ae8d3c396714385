import { expect } from 'vitest'
import { type BrowserScene, see } from '../browserScene.ts'
import { emptyAnswers } from '../fixtures/indexerAnswers.ts'

/** Clues are code: its lines and indents are part of it. */
const whiteSpace = (element: Element): string => getComputedStyle(element).whiteSpace

/** Games of the market. */
export function testMarket(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest('a choice made before the scripts have loaded is the one that a bet is on', async () => {
    const { promise: loaded, resolve: load } = Promise.withResolvers<void>()
    const page = await scene.visit('/market/1', {
      early: true,
      prepare: async page => {
        await page.route('**/*.js', route => loaded.then(() => route.continue()))
      },
    })
    await page.getByRole('combobox').selectOption('palindromes')
    await page.getByLabel('Nectar').fill('7')
    load()
    await see(page, 'Pays if palindromes wins and nobody bets after you')
    await see(page, 'Bet 7 Nectar')
  })

  browserTest('the market shows stakes, clues and payouts, and that it is empty if it is', async () => {
    const page = await visit('/market')
    const [open, over] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
    await open.getByRole('heading', { name: 'Which task will the swarm solve least often this week?' }).waitFor()
    const row = open.getByRole('row', { name: 'palindromes' })
    expect(await row.textContent()).toMatch(/60 %.*12/)
    expect(await open.getByText('Its answers are never long').evaluate(whiteSpace)).toBe('pre-wrap')
    await open.getByText('on two sums, round 1').waitFor()
    expect(await open.getByRole('link', { name: /^0x/ }).first().getAttribute('href')).toMatch(
      /^\/bettors\/0x[0-9a-f]{40}$/,
    )
    await open.getByText('The Judge missed a deadline').waitFor()
    await over.getByRole('heading', { name: 'Game 0' }).waitFor()
    await over.getByText('Choice 1 won').waitFor()
    await over.getByText('Choices, clues and payouts').click()
    expect(await over.getByRole('row', { name: 'Choice 1' }).textContent()).toContain('won')
    await over.getByText('took').waitFor()
    await open.getByRole('link', { name: /Which task/ }).click()
    await page.getByRole('heading', { name: 'Evidence' }).waitFor()
    expect(await page.getByText('Its answers are never long').evaluate(whiteSpace)).toBe('pre-wrap')
    await page.getByLabel('Part of all stakes on each choice over time').locator('[data-line]').nth(2).waitFor()
    const prices = page.getByLabel('Price of a share of each choice over time').locator('[data-price]')
    expect(await prices.evaluateAll(paths => paths.map(path => path.dataset.price))).toEqual([
      'two sums',
      'palindromes',
    ])
    await see(page, 'No round takes bets now.')
    const judge = page.getByText('answers with a bond').getByRole('link')
    expect(await judge.getAttribute('href')).toMatch(/^\/bettors\/0x90f79bf6/)
    const account = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
    await page.getByRole('link', { name: '0x3c44…93bc' }).first().click()
    await see(page, /over 1 game with a winner its Brier score is 0.00/i)
    await page.getByText('claimed 16 Nectar').waitFor()
    const own = await visit('/market', { account })
    await own.getByRole('button', { name: 'Connect account' }).click()
    await own.getByRole('link', { name: 'Your bets' }).click()
    await own.getByRole('heading', { name: 'Calibration' }).waitFor()
    const judged = await visit('/bettors/0x90f79bf6eb2c4f870365e785982e1f101e93b906')
    await judged.getByRole('heading', { name: 'Games it opened' }).waitFor()
    const missing = await visit('/market/77')
    await missing.getByRole('heading', { name: 'No such cell in this comb' }).waitFor()
    // A page reads itself again, and React reports an error where its game is suddenly gone.
    await Promise.all([page, own, judged, missing].map(one => one.close()))
    scene.dashboard.indexer.answers = emptyAnswers
    const empty = await visit('/market')
    await see(empty, 'No game has been opened yet.')
  })
}
