import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../dashboard/test/findChromium.ts'
import { axeFindings, layoutShift, settled } from '../../../dashboard/test/inspectPage.ts'
import { allAddresses } from '../../../dashboard/test/pageAddresses.ts'
import type { Bench } from '../../measure/bench.ts'
import type { BenchRow } from '../../measure/row.ts'
import { LARGE_ROUND, serveLargeSwarm } from './largeSwarm.ts'

/** Every page, later ones of the lists, and the one of a round of 300 solvers and 40 seats. */
const addresses = [...allAddresses, '/?page=20', '/rounds?page=100', `/rounds/${LARGE_ROUND}`]
const widths = [1280, 390]
const schemes = ['light', 'dark'] as const

interface Visited {
  firstPageJsBytes: number
  /** Rule, page and the first element, of every serious or critical finding. */
  findings: string[]
  /** Layout shift of the page with the most. */
  layoutShift: number
}

/** Visits of a real browser to the production build. */
function visited(bench: Bench): Promise<Visited> {
  return bench.once('pages', async () => {
    const executablePath = findChromium()
    if (executablePath === null) throw new Error('no Chromium: run "apt-get install chromium", or set CHROMIUM_PATH')
    const dashboard = await serveLargeSwarm()
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const firstPageJsBytes = await scriptBytes(bench, browser, dashboard.url)
      const findings: string[] = []
      let most = 0
      for (const colorScheme of schemes)
        for (const width of widths) {
          const viewport = { width, height: 900 }
          const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
          const page = await context.newPage()
          for (const address of addresses) {
            await open(page, dashboard.url + address)
            for (const finding of await axeFindings(page))
              findings.push(`${address} at ${width} px, ${colorScheme}: ${finding}`)
            const shift = await layoutShift(page)
            if (shift > 0.01) bench.log(`${address} at ${width} px, ${colorScheme} shifts by ${shift.toFixed(3)}`)
            most = Math.max(most, shift)
          }
          await context.close()
        }
      for (const finding of findings) bench.log(finding)
      return { firstPageJsBytes, findings, layoutShift: most }
    } finally {
      await browser.close()
      await dashboard.stop()
    }
  })
}

/** Opens a page and waits until every part of it is there. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await settled(page)
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

const conditions =
  'production build on loopback, Chromium, a made-up swarm of 1,000 peers, 40 seats and 5,000 rounds with one of 300 solvers'

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
      conditions: `axe-core ${axe.version}, rules broken seriously or critically and targets under 24 px, summed over ${addresses.length} pages at ${widths.join(' and ')} px, light and dark; ${conditions}`,
    }),
  },
  {
    name: 'layout-shift',
    unit: 'shift',
    bar: 0.05,
    better: 'less',
    measure: async bench => ({
      value: (await visited(bench)).layoutShift,
      conditions: `cumulative, of the page that moves most, over the same pages, widths and themes; ${conditions}`,
    }),
  },
]
