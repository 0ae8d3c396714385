import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { findChromium } from './findChromium.ts'
import { gatewayAnswers } from './fixtures/gatewayAnswers.ts'
import { answers } from './fixtures/indexerAnswers.ts'
import { CHAIN_ID } from './fixtures/servers.ts'
import { solvers } from './fixtures/swarm.ts'
import { type RunningDashboard, startDashboard } from './startDashboard.ts'
import { injectWallet } from './wallet.ts'

const path = findChromium()
const SLOW_MS = 300_000

interface Visit {
  width?: number
  scheme?: 'light' | 'dark'
  account?: string
  /** Origin of another server than the scene's. */
  origin?: string
  /** On purpose: its violations are not counted as faults. */
  breaksPolicy?: boolean
  /** A browser that runs no scripts. */
  isScriptless?: boolean
  /** Does not wait for what streams in late. */
  early?: boolean
  /** Runs before the page is opened. */
  prepare?: (page: Page) => Promise<void>
}

/** One dashboard and one browser for all suites of a file; every test begins with a whole swarm behind it. */
export interface BrowserScene {
  /** There from the first test on. */
  readonly dashboard: RunningDashboard
  /** A test in a real browser. Where there is none (and CI is not set) it says so and passes. */
  browserTest: (title: string, body: () => Promise<void>) => void
  /** Opens a page; the test fails if anything in it does. */
  visit: (address: string, as?: Visit) => Promise<Page>
}

/** Call it at the top of a test file. */
export function openBrowserScene(): BrowserScene {
  let dashboard: RunningDashboard
  let browser: Browser

  beforeAll(async () => {
    if (path === null) return
    dashboard = await startDashboard()
    browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] })
  }, 600_000)

  afterAll(async () => {
    await browser?.close()
    await dashboard?.stop()
  })

  beforeEach(() => {
    if (path === null) return
    dashboard.indexer.answers = answers
    dashboard.indexer.behindSec = 0
    dashboard.indexer.isFull = false
    dashboard.indexer.asked.length = 0
    dashboard.gateway.answers = gatewayAnswers
    dashboard.chain.chainId = CHAIN_ID
  })

  return {
    get dashboard() {
      return dashboard
    },
    browserTest(title, body) {
      test(title, { timeout: SLOW_MS }, async () => {
        if (path === null) console.log(`no Chromium here, so this ran without it: ${title}`)
        else await body()
      })
    },
    async visit(
      address,
      {
        width = 1280,
        scheme = 'light',
        account,
        origin = dashboard.url,
        breaksPolicy,
        isScriptless = false,
        early,
        prepare,
      } = {},
    ) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        javaScriptEnabled: !isScriptless,
      })
      const page = await context.newPage()
      page.setDefaultTimeout(60_000)
      if (account !== undefined) await page.addInitScript(injectWallet, account)
      await prepare?.(page)
      const faults: string[] = []
      page.on('pageerror', error => faults.push(error.message))
      page.on('console', message => {
        if (!breaksPolicy && message.text().includes('Content Security Policy')) faults.push(message.text())
      })
      page.on('request', request => {
        const { protocol, origin: asked } = new URL(request.url())
        if (protocol.startsWith('http') && asked !== origin) faults.push(`it asked ${asked}, and not its own origin`)
      })
      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail') {
          const shown = await page.locator('body').ariaSnapshot({ timeout: 2_000 }).catch(String)
          await context.close()
          throw new Error(`${page.url()} showed:\n${withoutTables(shown)}`)
        }
        await context.close()
        expect(faults, 'errors in the page').toEqual([])
      })
      await page.goto(origin + address, { waitUntil: early ? 'commit' : 'load' })
      return page
    },
  }
}

/** A snapshot that is short enough for the end of a log. */
function withoutTables(snapshot: string): string {
  return snapshot.replaceAll(/^ *- ('?row|cell|rowheader|columnheader|\/url).*\n/gm, '')
}

/** Waits for text that a reader sees; a part that is still streaming in is in the document twice, once hidden. */
export function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).filter({ visible: true }).first().waitFor()
}

export const first = <T>(list: readonly T[]): T => {
  const [item] = list
  if (item === undefined) throw new Error('a fixture is empty')
  return item
}

export const solver = first(solvers)
