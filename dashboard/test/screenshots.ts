/**
 * `node dashboard/test/screenshots.ts http://localhost:3000 docs/images`: pictures of a running dashboard, for READMEs.
 * The peer is the leaderboard's first, the round the newest one whose votes are open.
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

async function picture(name: string, colorScheme: 'light' | 'dark', width: number, addressOf: () => Promise<string>) {
  const page = await browser.newPage({ viewport: { width, height: 1_000 }, colorScheme })
  await page.goto(url + (await addressOf()))
  await page.getByRole('table').filter({ visible: true }).first().waitFor()
  await page.getByText('Asking the chain.').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.close()
}

/** Where the first link on a page leads whose address begins so. */
async function firstLink(address: string, prefix: string, skip = 0): Promise<string> {
  const page = await browser.newPage()
  await page.goto(url + address)
  const link = page.locator(`tbody a[href^="${prefix}"]`).filter({ visible: true }).nth(skip)
  const found = (await link.getAttribute('href')) ?? address
  await page.close()
  return found
}

const home = async () => '/'
const peer = () => firstLink('/', '/peers/')
/** Newest first: proposing, open, voting, revealing. */
const round = () => firstLink('/rounds', '/rounds/', 4)
await picture('leaderboard', 'light', 1280, home)
await picture('leaderboard-dark', 'dark', 1280, home)
await picture('leaderboard-phone', 'light', 390, home)
await picture('peer', 'light', 1280, peer)
await picture('market', 'light', 1280, async () => '/market')
await picture('round', 'light', 1280, round)
await browser.close()
