/**
 * `npx node dashboard/test/screenshots.ts http://localhost:3000 docs/images`: the pictures of documents, from a running
 * dashboard. The round is the newest one whose votes are open. Take them once the market has had a game.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium } from './findChromium.ts'

const [url = 'http://localhost:3000', folder = 'docs/images'] = process.argv.slice(2)
const executablePath = findChromium()
if (executablePath === null) throw new Error('no Chromium: run "apt-get install chromium", or set CHROMIUM_PATH')
await mkdir(folder, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })

/** From the top of a page, or from one of its headings on. */
async function picture(name: string, address: string, heading?: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1_000 }, colorScheme: 'light' })
  await page.goto(url + address)
  await page.getByRole('table').filter({ visible: true }).first().waitFor()
  for (const passing of ['Asking the chain.', 'Running its tests …'])
    await page.getByText(passing).first().waitFor({ state: 'detached' })
  if (heading) {
    const found = page.getByRole('heading', { name: heading }).first()
    await found.evaluate(element => window.scrollTo(0, element.getBoundingClientRect().top - 24))
  }
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.close()
}

/** Target of the first link on a page whose address begins so. */
async function firstLink(address: string, prefix: string, skip = 0): Promise<string> {
  const page = await browser.newPage()
  await page.goto(url + address)
  const link = page.locator(`tbody a[href^="${prefix}"]`).filter({ visible: true }).nth(skip)
  const found = (await link.getAttribute('href')) ?? address
  await page.close()
  return found
}

/** Newest first: proposing, open, voting, revealing. */
const round = await firstLink('/rounds', '/rounds/', 4)
await picture('leaderboard', '/')
await picture('market', '/market')
await picture('round', round, 'Problems and solutions')
await browser.close()
