import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type BrowserScene, see, solver } from '../browserScene.ts'
import { gatewayAnswers } from '../fixtures/gatewayAnswers.ts'
import { answers } from '../fixtures/indexerAnswers.ts'
import { CURRENT_ROUND } from '../fixtures/swarm.ts'
import { layoutShift, settled } from '../inspectPage.ts'

/** Pages of a width do not shift by themselves, and fit a phone. @param width - pixels. */
export function testShiftsAt(width: number, scene: BrowserScene): void {
  const { browserTest, visit } = scene
  const addresses = ['/', '/run', '/rounds', `/rounds/${CURRENT_ROUND - 2}`, `/peers/${solver.peerKey}`]
  for (const address of [...addresses, '/roles', '/market'])
    browserTest(`what comes late moves nothing that a reader sees at ${width} px of ${address}`, async () => {
      const come = holdBack()
      const page = await visit(address, { width, early: true })
      await page.locator('[role=status][aria-label^=Loading]').filter({ visible: true }).first().waitFor()
      await page.evaluate('new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      come()
      await settled(page)
      expect(await layoutShift(page)).toBeLessThan(0.05)
      if (width === 390) await fitsPhone(page)
    })

  browserTest(`a page that comes whole stays as it is at ${width} px`, async () => {
    for (const address of ['/market/1', `/bettors/${solver.account}`, '/register', '/nothing']) {
      const page = await visit(address, { width })
      await page.getByRole('button', { name: /^Connect/ }).waitFor()
      expect(await layoutShift(page), address).toBeLessThan(0.05)
      await page.close()
    }
  })

  browserTest(`the account of an earlier visit moves nothing that a reader sees at ${width} px`, async () => {
    for (const address of ['/', `/rounds/${CURRENT_ROUND - 2}`, `/peers/${solver.peerKey}`, '/market', '/market/1']) {
      const page = await visit(address, { width, account: solver.account, prepare: rememberWallet })
      await page.getByRole('button', { name: 'Disconnect' }).waitFor()
      await settled(page)
      expect(await layoutShift(page), address).toBeLessThan(0.05)
      await page.close()
    }
  })

  /** Keeps what pages load late from them, until it is told that it may come. */
  function holdBack(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = (name: string) => (variables: object) => promise.then(() => answers[name]?.({ ...variables }))
    const held = ['Rounds', 'Standings', 'Roles', 'MarketRoles', 'Games'].map(name => [name, late(name)])
    scene.dashboard.gateway.answers = path => promise.then(() => gatewayAnswers(path))
    scene.dashboard.indexer.answers = { ...answers, ...Object.fromEntries(held) }
    return resolve
  }
}

/** Fonts and parts that arrive late move nothing. */
export function testShifts({ browserTest, visit }: BrowserScene): void {
  browserTest('a font that comes late moves nothing', async () => {
    const { promise, resolve: comes } = Promise.withResolvers<void>()
    const hold = async (page: Page) => {
      await page.route('**/*.woff2', route => promise.then(() => route.continue()))
    }
    const page = await visit('/market/1', { width: 390, early: true, prepare: hold })
    await see(page, 'No round takes bets now.')
    const fonts = page.waitForResponse(/casl.*woff2$/)
    comes()
    await (await fonts).finished()
    await page.evaluate('document.fonts.ready')
    expect(await layoutShift(page)).toBeLessThan(0.01)
  })

  browserTest('a game is painted from the top as it arrives: what is above comes first in the document', async () => {
    const page = await visit('/market/1', { width: 390 })
    const inDocument = await page.getByRole('heading', { level: 2 }).filter({ visible: true }).all()
    const tops = await Promise.all(inDocument.map(async heading => (await heading.boundingBox())?.y ?? 0))
    expect(tops.length).toBeGreaterThan(3)
    expect(tops).toEqual(tops.toSorted((a, b) => a - b))
  })
}

/** No element lies beyond the edge of the screen, and the keyboard reaches the content first. */
async function fitsPhone(page: Page): Promise<void> {
  if (new URL(page.url()).pathname.startsWith('/rounds/')) {
    await page
      .getByText(/^\d+ rollouts$/)
      .first()
      .waitFor()
    expect(await hiddenNames(page), 'names of evaluators out of sight').toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
}

/** Names in the table of votes that are not whole on the screen, or lie under something else. */
function hiddenNames(page: Page): Promise<string[]> {
  return page.locator('section[aria-labelledby=votes] table a').evaluateAll(links =>
    links
      .filter(link => link.checkVisibility())
      .filter(link => {
        link.scrollIntoView({ block: 'center' })
        const { left, right, top, bottom } = link.getBoundingClientRect()
        const seen = document.elementFromPoint(right - 1, (top + bottom) / 2)
        return left < 0 || right > window.innerWidth || !link.contains(seen)
      })
      .map(link => link.textContent ?? ''),
  )
}

/** A browser that connected its wallet in an earlier visit. */
async function rememberWallet(page: Page): Promise<void> {
  await page.addInitScript(() => {
    localStorage.setItem('wagmi.recentConnectorId', '"injected"')
    localStorage.setItem('wagmi.injected.connected', 'true')
  })
}
