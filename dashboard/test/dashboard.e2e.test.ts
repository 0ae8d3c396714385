import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { findChromium } from './findChromium.ts'
import { emptyGatewayAnswers, gatewayAnswers } from './fixtures/gatewayAnswers.ts'
import { answers, emptyAnswers } from './fixtures/indexerAnswers.ts'
import { CHAIN_ID } from './fixtures/servers.ts'
import {
  CONTESTED_ROUND,
  CURRENT_ROUND,
  evaluators,
  onlookers,
  proposer,
  solvers,
  standings,
} from './fixtures/swarm.ts'
import { type RunningDashboard, startDashboard } from './startDashboard.ts'
import { injectWallet } from './wallet.ts'

const path = findChromium()
const SLOW_MS = 60_000

let dashboard: RunningDashboard
let browser: Browser

/** A test in a real browser. Where there is none (and CI is not set) it says so and passes. */
function browserTest(title: string, body: () => Promise<void>): void {
  test(title, { timeout: SLOW_MS }, async () => {
    if (path === null) console.log(`no Chromium here, so this ran without it: ${title}`)
    else await body()
  })
}

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
  dashboard.gateway.answers = gatewayAnswers
  dashboard.chain.chainId = CHAIN_ID
})

interface Visit {
  width?: number
  scheme?: 'light' | 'dark'
  account?: string
}

async function visit(address: string, { width = 1280, scheme = 'light', account }: Visit = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  if (account !== undefined) await page.addInitScript(injectWallet, account)
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  onTestFinished(async () => {
    await context.close()
    expect(faults, 'errors in the page').toEqual([])
  })
  await page.goto(dashboard.url + address)
  return page
}

/** Waits for text that a reader sees; a part that is still streaming in is in the document twice, once hidden. */
function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).filter({ visible: true }).first().waitFor()
}

const first = <T>(list: readonly T[]): T => {
  const [item] = list
  if (item === undefined) throw new Error('a fixture is empty')
  return item
}
const solver = first(solvers)

browserTest('the first page shows the round from the chain, the peers, the canary and the feed', async () => {
  const page = await visit('/')
  await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
  expect(await page.getByRole('timer').textContent()).toMatch(/^\d+ s$/)
  const comb = page.getByRole('navigation', { name: 'Rounds in flight' })
  await comb.getByRole('link', { name: `Round ${CURRENT_ROUND - 2}: Revealing` }).waitFor()
  await see(page, 'Level 3 of 5')
  await see(page, '1 proposer, 3 solvers, 3 evaluators')

  const rows = page.locator('section[aria-labelledby=leaderboard] tbody tr')
  await rows.first().waitFor()
  expect(await rows.count()).toBe(20)
  expect(await rows.first().textContent()).toContain(first(standings).name)
  expect(await rows.first().textContent()).toContain('provisional')

  const canary = page.locator('section[aria-labelledby=canary]')
  await canary.getByText('may be fooling its judge').waitFor()
  expect(await canary.getByText('rising together').count()).toBe(2)
  // Two lines in the large chart.
  await canary.locator('figure').first().locator('.recharts-line-curve').nth(1).waitFor()
  await see(page, 'proposed 8 tasks')
  await see(page, /^Live$/)
})

browserTest('a score that is appealed is contested on every page, though its round is final', async () => {
  const contested = solvers[2] ?? solver
  const round = await visit(`/rounds/${CONTESTED_ROUND}`)
  const cell = (page: Page, name: string) => page.getByRole('row', { name }).getByText('contested')
  await cell(round, contested.name).waitFor()
  await round.getByRole('row', { name: solver.name }).getByText('final', { exact: true }).waitFor()
  await see(round, /The score of .* is appealed to 11 seats/)
  const peer = await visit(`/peers/${contested.peerKey}`)
  await cell(peer, String(CONTESTED_ROUND)).waitFor()
  await see(peer, /The score of .* is appealed to 11 seats/)
  // Who won one before learns what it is owed, and how to have it.
  await see(peer, '0.0086')
  await see(peer, 'npm run waggle -- challenges withdraw')
  await cell(await visit('/'), contested.name).waitFor()
})

browserTest('peers are found by name, by peer id and by account, and the rest is a page further', async () => {
  const page = await visit('/')
  const rows = page.locator('section[aria-labelledby=leaderboard] tbody tr')
  await rows.first().waitFor()
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
})

browserTest('the market shows stakes, prices, clues and payouts, and that it is empty where it is', async () => {
  const page = await visit('/market')
  const [open, over] = [page.getByRole('article').nth(0), page.getByRole('article').nth(1)]
  await open.getByRole('heading', { name: 'Which task will the swarm solve least often this week?' }).waitFor()
  const row = open.getByRole('row', { name: 'palindromes' })
  expect(await row.textContent()).toMatch(/60 %.*12.*2\.83/)
  await open.getByText('Its answers are never long.').waitFor()
  await open.getByText('on two sums, round 1').waitFor()
  await open.getByText('market bet --game').waitFor()
  expect(await open.getByRole('link', { name: /^0x/ }).first().getAttribute('href')).toMatch(/^\/\?q=0x[0-9a-f]{40}$/i)
  await over.getByRole('heading', { name: 'Game 0' }).waitFor()
  await over.getByText('Last price').waitFor()
  expect(await over.getByRole('row', { name: 'Choice 1' }).textContent()).toContain('won')
  await over.getByText('took').waitFor()
  dashboard.indexer.answers = emptyAnswers
  const empty = await visit('/market')
  await see(empty, 'No game has been opened yet.')
})

browserTest('an event of the stream appears at once, and one that was taken back goes', async () => {
  const page = await visit('/')
  await see(page, /^Live$/)
  const { peerKey } = solver
  const item = { id: '999999999999', kind: 'peerMoved', round: null, peerKey, detail: {}, atSec: 1_795_001_000 }
  dashboard.indexer.send('item', item)
  await page.getByText('moved to another account').waitFor({ timeout: 1_900 })
  dashboard.indexer.send('retract', { id: item.id })
  await page.getByText('moved to another account').waitFor({ state: 'detached' })
})

browserTest('a peer’s page shows who it is, its reward history and its rounds', async () => {
  const page = await visit(`/peers/${solver.peerKey}`)
  await page.getByRole('heading', { name: solver.name }).waitFor()
  await see(page, solver.peerId)
  await see(page, solver.account)
  await expect.poll(() => page.locator('.recharts-bar-rectangle').count(), { timeout: 20_000 }).toBe(CURRENT_ROUND - 2)
  const newest = page.locator('section[aria-labelledby=history] tbody tr').first()
  await newest.getByText('Open').waitFor()
  expect(await newest.textContent()).toBe(`${CURRENT_ROUND}Open64 rollouts–not yet–`)
  await see(page, 'by its score')
  await see(page, 'to claim')
})

browserTest('an evaluator’s page shows its seat', async () => {
  const page = await visit(`/peers/${first(evaluators).peerKey}`)
  await see(page, /Evaluator, seated since round 0; opened 40 of 41 sealed votes/)
  await see(page, 'Only solvers are scored.')
  await see(page, 'by openings')
})

browserTest('a round’s page tells who was paid for openings and tasks', async () => {
  const page = await visit(`/rounds/${CURRENT_ROUND - 6}`)
  const paid = page.locator('section[aria-labelledby=pay] li')
  await paid.first().waitFor()
  expect(await paid.count()).toBe(evaluators.length + 1)
  await see(page, /gave leaf 9 of .* of 1000, paid 40\.00 nectar/)
  await see(page, /proposed the task of that leaf, paid .* nectar/)
  const proposing = await visit(`/peers/${proposer.peerKey}`)
  await see(proposing, 'by its tasks')
})

browserTest('a round’s page shows a problem, what was tried with the parts of its score, and every vote', async () => {
  const page = await visit(`/rounds/${CURRENT_ROUND - 2}`)
  await see(page, 'Evaluators open their votes.')
  const votes = page.locator('section[aria-labelledby=votes]')
  await votes.getByText('unavailable').first().waitFor()
  expect(await votes.getByText('sealed', { exact: true }).count()).toBe(3)
  await see(page, 'Sum of the even numbers in xs, doubled.')
  await see(page, 'Predicted correctness')

  await page.getByRole('link', { name: /^Problem 2,/ }).click()
  await see(page, 'Number of vowels in s.')
  expect(page.url()).toContain('?task=0x')
  await page.getByRole('link', { name: `Round ${CURRENT_ROUND - 1}` }).click()
  await see(page, 'not scored yet')
})

browserTest('the list of rounds tells the state of each', async () => {
  const page = await visit('/rounds')
  const states = page.locator('tbody tr td:nth-child(2)')
  await expect
    .poll(async () => (await states.allInnerTexts()).slice(0, 6), { timeout: 20_000 })
    .toEqual(['Proposing', 'Open', 'Voting', 'Revealing', 'Settling', 'Final'])
  await page.getByRole('link', { name: `${CURRENT_ROUND}`, exact: true }).click()
  await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
})

browserTest('a connected account sees its own peers, read from the chain', async () => {
  const page = await visit('/', { account: solver.account })
  await page.getByRole('button', { name: 'Connect account' }).click()
  const own = page.locator('section[aria-labelledby=own-peers]')
  await own.getByText(solver.name).waitFor()
  expect(await own.getByRole('listitem').count()).toBe(3)
  await page.locator('section[aria-labelledby=leaderboard]').getByText('yours').first().waitFor()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  await own.waitFor({ state: 'detached' })
})

browserTest('without a wallet the page says what to do', async () => {
  const page = await visit('/')
  await page.getByRole('button', { name: 'Connect account' }).click()
  await see(page, /No wallet was found in this browser/)
})

browserTest('a swarm that has only just begun has a sentence for every part', async () => {
  dashboard.indexer.answers = emptyAnswers
  dashboard.gateway.answers = emptyGatewayAnswers
  const page = await visit('/')
  for (const text of [
    'No peer has registered yet.',
    'Nothing has happened yet.',
    'No canary has run yet.',
    'Not set yet',
  ])
    await see(page, text)
  await page.goto(`${dashboard.url}/rounds`)
  await see(page, 'No round has begun yet.')
  await page.goto(`${dashboard.url}/rounds/7`)
  await see(page, 'No solver has committed to rollouts for round 7.')
  await see(page, 'The gateway node has no problems of this round.')
  await page.goto(`${dashboard.url}/peers/${solver.peerKey}`)
  await see(page, 'No peer is registered under this key.')
})

browserTest('without the indexer the chain and the gateway still show, and the rest comes back by itself', async () => {
  await dashboard.indexer.down()
  onTestFinished(() => dashboard.indexer.up())
  const page = await visit('/')
  await see(page, `The indexer at ${dashboard.indexer.url} does not answer.`)
  await see(page, 'Stream lost, trying again')
  await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
  await see(page, 'may be fooling its judge')
  for (const address of ['/rounds', '/rounds/9', `/peers/${solver.peerKey}`]) {
    await page.goto(dashboard.url + address)
    await see(page, /The indexer at .* does not answer/)
  }
  await dashboard.indexer.up()
  await page.getByRole('heading', { name: solver.name }).waitFor()
})

browserTest('without the gateway the chain’s own record still shows', async () => {
  await dashboard.gateway.down()
  onTestFinished(() => dashboard.gateway.up())
  const page = await visit(`/rounds/${CURRENT_ROUND - 2}`)
  await see(page, `The gateway node at ${dashboard.gateway.url} does not answer.`)
  await see(page, solver.name)
  await page.goto(dashboard.url)
  expect(await page.getByText(/The gateway node at .* does not answer/).count()).toBeGreaterThan(0)
  await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
})

browserTest('an answer in an unknown form is told apart from no answer', async () => {
  dashboard.gateway.answers = () => ({ surprise: true })
  const page = await visit('/')
  await see(page, /The gateway node at .* answered in a form that this dashboard does not know/)
})

browserTest(
  'without the chain the clock says so and the index still shows; it goes on once the chain is back',
  async () => {
    await dashboard.chain.down()
    onTestFinished(() => dashboard.chain.up())
    const page = await visit('/')
    await see(page, `The chain at ${dashboard.chain.url} does not answer.`)
    await see(page, proposer.name)
    await dashboard.chain.up()
    await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
  },
)

browserTest('a chain that is not the deployment’s is named', async () => {
  dashboard.chain.chainId = 1
  const page = await visit('/')
  await see(page, `is 1, but the contracts are on ${CHAIN_ID}.`)
})

browserTest('a browser that goes offline keeps what it knew, says so, and goes on', async () => {
  const page = await visit('/')
  await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
  await page.context().setOffline(true)
  await see(page, /The dashboard does not answer/)
  expect(await page.getByText(first(standings).name).count()).toBeGreaterThan(0)
  await page.context().setOffline(false)
  await page.getByText(/The dashboard does not answer/).waitFor({ state: 'detached' })
})

browserTest('an address that names nothing says so', async () => {
  const page = await visit('/peers/0x12')
  await page.getByRole('heading', { name: 'No such cell in this comb' }).waitFor()
  await page.goto(`${dashboard.url}/rounds/minus-one`)
  await page.getByRole('heading', { name: 'No such cell in this comb' }).waitFor()
})

browserTest('no page scrolls sideways on a phone, and the keyboard reaches the content first', async () => {
  for (const address of ['/', '/rounds', `/rounds/${CURRENT_ROUND - 2}`, `/peers/${solver.peerKey}`]) {
    const page = await visit(address, { width: 390 })
    await page.getByRole('table').filter({ visible: true }).first().waitFor()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, address).toBeLessThanOrEqual(0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
  }
})

/** WCAG contrast of pairs of the page's own colours, front and back. */
function contrasts(page: Page, pairs: [front: string, back: string][]): Promise<number[]> {
  return page.evaluate(wanted => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    const style = getComputedStyle(document.documentElement)
    const luminance = (name: string): number => {
      if (canvas === null) return 0
      canvas.fillStyle = style.getPropertyValue(`--${name}`)
      canvas.fillRect(0, 0, 1, 1)
      const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map(byte => {
        const share = byte / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    return wanted.map(([front, back]) => {
      const [low = 0, high = 0] = [luminance(front), luminance(back)].sort((a, b) => a - b)
      return (high + 0.05) / (low + 0.05)
    })
  }, pairs)
}

for (const scheme of ['light', 'dark'] as const) {
  browserTest(`text and lines stand out from the page when it is ${scheme}`, async () => {
    const page = await visit('/rounds', { scheme })
    const text = ['ink', 'soft', 'honey-ink', 'leaf', 'thorn', 'ultraviolet']
    const pairs = text.flatMap(front => ['wax', 'comb'].map((back): [string, string] => [front, back]))
    const words: [string, string][] = [...pairs, ['ink', 'honey-pale'], ['night', 'honey'], ['wax', 'thorn']]
    const lines: [string, string][] = [
      ['amber', 'wax'],
      ['amber', 'comb'],
      ['ultraviolet', 'wax'],
    ]
    const named = async (of: [string, string][], least: number) =>
      (await contrasts(page, of))
        .map((ratio, index) => [of[index]?.join(' on '), ratio])
        .filter(([, ratio]) => Number(ratio) < least)
    expect(await named(words, 4.5)).toEqual([])
    expect(await named(lines, 3)).toEqual([])
  })
}
