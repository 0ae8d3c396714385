import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Rules broken seriously or critically, targets under 24 px among them: rule, count and the first element of each. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })",
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} elements, first ${nodes[0]?.html.slice(0, 200)}`)
}

/** Runs in the page; a page without any shift has no entry to call back with. */
const READ_SHIFTS = `new Promise(resolve => {
  new PerformanceObserver(list => {
    const shifts = list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput)
    resolve(shifts.reduce((sum, { value }) => sum + value, 0))
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(0), 50))
})`

/** Cumulative layout shift since the page was opened, without shifts that a reader caused. */
export const layoutShift = (page: Page): Promise<number> => page.evaluate<number>(READ_SHIFTS)

/** Waits until every part of a page is there. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' })
  await page.getByText('Asking the chain.').first().waitFor({ state: 'detached' })
}
