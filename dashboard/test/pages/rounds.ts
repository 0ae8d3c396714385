import { expect } from 'vitest'
import { type BrowserScene, see } from '../browserScene.ts'
import { CURRENT_ROUND, evaluators, proposer } from '../fixtures/swarm.ts'

/** Rounds: their list, and each on its page. */
export function testRounds(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest('a round’s page tells who was paid for openings and tasks', async () => {
    const page = await visit(`/rounds/${CURRENT_ROUND - 6}`)
    const paid = page.locator('section[aria-labelledby=pay] li')
    await paid.first().waitFor()
    expect(await paid.count()).toBe(evaluators.length + 1)
    await see(page, /gave leaf 9 of .* of 1000, paid 40\.00 Nectar/)
    await see(page, /proposed the task of that leaf, paid .* Nectar/)
    const proposing = await visit(`/peers/${proposer.peerKey}`)
    await see(proposing, 'by its tasks')
  })

  browserTest(
    'a round’s page shows a problem, what was tried with the parts of its score, and every vote',
    async () => {
      const page = await visit(`/rounds/${CURRENT_ROUND - 2}`)
      await see(page, 'Evaluators open their votes.')
      const votes = page.locator('section[aria-labelledby=votes]')
      await votes.getByText('unavailable').first().waitFor()
      expect(await votes.getByText('sealed', { exact: true }).count()).toBe(3)
      await see(page, 'Sum of the even numbers in xs, doubled.')
      await page.getByRole('region', { name: 'Tests' }).getByText('assert f([7]) == 0').waitFor()
      await see(page, new RegExp(`^1 of ${evaluators.length} seats cannot check base 0x.*: they do not hold it`))
      await see(page, 'Predicted correctness')
      await page.getByText('3 of 3 tests pass').first().waitFor()
      expect(await page.getByText('Tests not run', { exact: true }).count()).toBe(2)
      await page.getByText('6 more answers').first().click()
      await page.getByText('1 of 3 tests pass').first().waitFor()
      await page.getByText('assert f([1, 2, 4]) == 12 gives another value').first().waitFor()

      await page.locator('pre span', { hasText: /^def$/ }).first().waitFor()
      await page.getByText('Compare two answers').first().click()
      const compared = page.getByLabel(/^Two answers of/)
      await compared.getByText('def f(xs):').waitFor()
      expect(await compared.textContent()).toMatch(
        /only in the first: +total = 0.*only in the second: +return sum\(xs\)/,
      )
      await page.getByLabel('The second').selectOption({ index: 1 })
      await compared.getByText('sum(xs)').first().waitFor({ state: 'detached' })

      await page.getByRole('link', { name: /^Problem 2,/ }).click()
      await see(page, 'Number of vowels in s.')
      await see(page, /^assert f\("waggle"\) == 3 is wrong: the problem asks for another value$/)
      await see(page, 'gives another value, like every try here: this test may be wrong')
      expect(page.url()).toContain('?task=0x')
      await page.getByRole('link', { name: `Round ${CURRENT_ROUND - 1}` }).click()
      await see(page, 'not scored')
    },
  )

  browserTest('the list of rounds tells the state of each', async () => {
    const page = await visit('/rounds')
    const states = page.locator('tbody tr td:nth-child(2)')
    await expect
      .poll(async () => (await states.allInnerTexts()).slice(0, 6), { timeout: 20_000 })
      .toEqual(['Proposing', 'Open', 'Voting', 'Revealing', 'Settling', 'Final'])
    const means = await page.locator('tbody tr td:last-child').allInnerTexts()
    expect(means.slice(0, 3)).toEqual(['–', '–', 'not settled'])
    await page.getByRole('link', { name: `${CURRENT_ROUND}`, exact: true }).click()
    await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()

    await page.goto(`${scene.dashboard.url}/run`)
    await see(page, 'codezero')
    await see(page, '0.4.0 (5)')
    await see(page, `7,800 completion tokens committed in round ${CURRENT_ROUND - 2} by 3 solvers, over its 25 s`)
    await expect.poll(() => page.locator('[data-bar]').count(), { timeout: 20_000 }).toBe(CURRENT_ROUND - 2)
    await see(page, 'may be fooling its judge')
    const families = page.getByRole('table', { name: /^Pass@1 by execution/ })
    expect(await families.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^repair\s+0 %\s+0 %\s+48$/),
      expect.stringMatching(/^write\s+\d+ %\s+\d+ %\s+144$/),
    ])
  })
}
