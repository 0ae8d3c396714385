import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../dashboard/test/findChromium.ts'
import { gatewayAnswers } from '../../../dashboard/test/fixtures/gatewayAnswers.ts'
import { answers } from '../../../dashboard/test/fixtures/indexerAnswers.ts'
import { CURRENT_ROUND, evaluators, solvers } from '../../../dashboard/test/fixtures/swarm.ts'
import { startDashboard } from '../../../dashboard/test/startDashboard.ts'
import type { Bench } from '../bench.ts'
import type { BenchRow } from '../row.ts'

/** One address for each kind of page, and for each role's. */
const addresses = [
  '/',
  '/run',
  '/register',
  '/rounds',
  `/rounds/${CURRENT_ROUND - 2}`,
  `/rounds/${CURRENT_ROUND - 8}`,
  ...[solvers[0], evaluators[0]].map(peer => `/peers/${peer?.peerKey}`),
  '/roles',
  '/market',
  '/market/1',
  '/nothing',
]
const widths = [1280, 390]
const schemes = ['light', 'dark'] as const

interface Visited {
  firstPageJsBytes: number
  /** Rule, page and the first element, of every serious or critical finding. */
  findings: string[]
}

/** What a real browser finds in the production build. */
function visited(bench: Bench): Promise<Visited> {
  return bench.once('pages', async () => {
    const executablePath = findChromium()
    if (executablePath === null) throw new Error('no Chromium: run "apt-get install chromium", or set CHROMIUM_PATH')
    const dashboard = await startDashboard()
    dashboard.indexer.answers = answers
    dashboard.gateway.answers = gatewayAnswers
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const firstPageJsBytes = await scriptBytes(bench, browser, dashboard.url)
      const findings: string[] = []
      for (const colorScheme of schemes)
        for (const width of widths) {
          const viewport = { width, height: 900 }
          const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
          const page = await context.newPage()
          for (const address of addresses) {
            await open(page, dashboard.url + address)
            for (const finding of await axeFindings(page))
              findings.push(`${address} at ${width} px, ${colorScheme}: ${finding}`)
          }
          await context.close()
        }
      for (const finding of findings) bench.log(finding)
      return { firstPageJsBytes, findings }
    } finally {
      await browser.close()
      await dashboard.stop()
    }
  })
}

/** Opens a page and waits until every part of it is there. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' })
  await page.getByText('Asking the chain.').first().waitFor({ state: 'detached' })
}

/** As they come over the wire, of a browser without a cache. */
async function scriptBytes(bench: Bench, browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage()
  await open(page, url)
  await page.locator('[data-line]').first().waitFor()
  const loaded = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
    "performance.getEntriesByType('resource').map(entry => entry.toJSON())",
  )
  await page.close()
  const scripts = loaded
    .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, bytes: encodedBodySize }))
    .filter(({ path }) => path.endsWith('.js'))
  for (const { path, bytes } of scripts) bench.log(`${bytes} bytes: ${path}`)
  return scripts.reduce((sum, { bytes }) => sum + bytes, 0)
}

async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} elements, first ${nodes[0]?.html.slice(0, 200)}`)
}

const conditions = 'production build on loopback, Chromium, a made-up swarm of 25 peers'

export const pageRows: readonly BenchRow[] = [
  {
    name: 'first-page-js',
    unit: 'KB',
    bar: 200,
    better: 'less',
    measure: async bench => ({
      value: (await visited(bench)).firstPageJsBytes / 1000,
      conditions: `compressed, all scripts that the first page loads until its charts are drawn; ${conditions}`,
    }),
  },
  {
    name: 'axe-serious',
    unit: 'findings',
    bar: 0,
    better: 'less',
    measure: async bench => ({
      value: (await visited(bench)).findings.length,
      conditions: `axe-core ${axe.version}, rules broken seriously or critically, summed over ${addresses.length} pages at ${widths.join(' and ')} px, light and dark; ${conditions}`,
    }),
  },
]
