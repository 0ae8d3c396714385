import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type BrowserScene, see, solver } from '../browserScene.ts'
import { pageAddresses } from '../pageAddresses.ts'

/** Checks of every page: addresses, layout and accessibility. */
export function testLooks(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest('an address that names nothing says so', async () => {
    const page = await visit('/peers/0x12')
    await page.getByRole('heading', { name: 'No such cell in this comb' }).waitFor()
    for (const address of ['/peers/0x12', `/peers/0x${'77'.repeat(32)}`, '/rounds/minus-one', '/market/77', '/nothing'])
      expect((await fetch(scene.dashboard.url + address)).status, address).toBe(404)
    for (const address of [`/peers/${solver.peerKey}`, '/rounds/7', '/market/1'])
      expect((await fetch(scene.dashboard.url + address)).status, address).toBe(200)
  })

  browserTest('a page runs its own scripts alone, and asks no other origin', async () => {
    const answers = await Promise.all([1, 2].map(() => fetch(scene.dashboard.url)))
    const policies = answers.map(({ headers }) => headers.get('content-security-policy'))
    expect(policies[0], 'a nonce for each answer').not.toBe(policies[1])
    // A page of the scene must break no policy, and this one does so on purpose.
    const page = await visit('/', { breaksPolicy: true })
    await see(page, /^Live$/)
    const broken = await page.evaluate(async elsewhere => {
      const directives: string[] = []
      const bothRefused = new Promise<void>(resolve => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (directives.push(effectiveDirective) === 2) resolve()
        })
      })
      await fetch(elsewhere).catch(() => undefined)
      const button = document.createElement('button')
      button.setAttribute('onclick', 'document.title = "run"')
      document.body.append(button)
      button.click()
      await bothRefused
      return { directives, title: document.title }
    }, scene.dashboard.chain.url)
    expect(broken).toEqual({ directives: ['connect-src', 'script-src-attr'], title: 'Waggle' })
  })

  browserTest('a link to a page has a title and its own picture', async () => {
    const pictures = new Set<string>()
    for (const [address, title] of [
      ['/', 'Waggle'],
      [`/peers/${solver.peerKey}`, `${solver.name} · Waggle`],
      ['/market/1', 'Which task will the swarm solve least often this week? · Waggle'],
    ] as const) {
      const page = await visit(address)
      await expect.poll(() => page.title()).toBe(title)
      const picture = await page.locator('meta[property="og:image"]').first().getAttribute('content')
      const answer = await fetch(picture ?? '')
      expect(answer.headers.get('content-type'), address).toBe('image/png')
      pictures.add(Buffer.from(await answer.arrayBuffer()).toString('base64'))
    }
    expect(pictures.size).toBe(3)
  })

  test('every page of the app is among those that the benchmark inspects', async () => {
    const app = join(import.meta.dirname, '../../src/app')
    const files = (await readdir(app, { recursive: true })).filter(path => /(^|\/)(page|not-found)\.tsx$/.test(path))
    expect(Object.keys(pageAddresses).sort()).toEqual(files.sort())
  })

  browserTest('text and lines stand out from the page, light and dark', async () => {
    const page = await visit('/rounds')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
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
      expect(await named(words, 4.5), colorScheme).toEqual([])
      expect(await named(lines, 3), colorScheme).toEqual([])
    }
  })
}

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
