import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDeployment } from '@waggle/deployments/record'
import type { Page } from 'playwright-core'
import { decodeQR } from 'qr/decode.js'
import { expect, onTestFinished } from 'vitest'
import { TestChain } from '../../../indexer/test/testChain.ts'
import { type BrowserScene, see } from '../browserScene.ts'
import { games } from '../fixtures/games.ts'
import { answers } from '../fixtures/indexerAnswers.ts'
import { openGame } from '../openGame.ts'
import { openPhone } from '../phoneSigner.ts'
import { startWalletRelay } from '../walletRelay.ts'

const TOKEN = 10n ** 18n
const always = (answer: unknown) => () => answer

/** A wallet on a phone: a real relay's protocol on loopback, a real wallet's library, a real chain. */
export function testPhone(scene: BrowserScene): void {
  scene.browserTest(
    'a wallet on a phone connects by a link, switches, bets, survives a reload and is let go',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'waggle-phone-'))
      const relay = await startWalletRelay()
      const chain = await TestChain.start(folder)
      onTestFinished(async () => {
        chain.stop()
        relay.stop()
        await rm(folder, { recursive: true })
      })
      const { account } = await chain.register()
      const { times } = await openGame(chain)
      await chain.market.mint(account.address, 10n * TOKEN)
      const terms = { ...games[0], gameId: '0', roundCount: 1, clues: { items: [] }, ...times }
      scene.dashboard.indexer.answers = { ...answers, Game: always({ game: terms }) }
      onTestFinished(await scene.dashboard.follow(readDeployment(chain.recordPath), chain.url))
      const { url: origin, stop } = await scene.dashboard.serveBeside({
        WAGGLE_WALLETCONNECT_PROJECT: 'a test',
        WAGGLE_WALLETCONNECT_RELAY: relay.url,
      })
      onTestFinished(stop)
      const sockets: string[] = []
      const page = await scene.visit('/market/0', {
        ...{ origin, width: 390 },
        prepare: async page => void page.on('websocket', socket => sockets.push(new URL(socket.url()).origin)),
      })
      const phone = await openPhone(relay.url, chain.url, account)
      onTestFinished(phone.close)

      await page.getByRole('button', { name: 'Connect account' }).click()
      expect(relay.methods, 'nothing is asked before a phone is chosen').toEqual([])
      await page.getByRole('button', { name: 'A wallet on a phone' }).click()
      await page.getByRole('img', { name: 'Code of the link' }).waitFor()
      const link = await page.getByRole('link', { name: 'Open a wallet on this device' }).getAttribute('href')
      expect(await scan(page)).toBe(link)
      await phone.approve(link ?? '')

      await page.getByRole('button', { name: 'Switch to test' }).click()
      await page.getByRole('button', { name: 'Switch to test' }).waitFor({ state: 'detached' })
      await page.reload()
      await page.getByRole('button', { name: 'Disconnect' }).waitFor()
      await page.getByRole('combobox').selectOption('palindromes')
      await page.getByLabel('Nectar').fill('4')
      await see(page, 'Most that you can lose')
      await page.getByRole('button', { name: 'Bet 4 Nectar' }).click()
      const sent = page.getByRole('complementary', { name: 'Your transactions' })
      await expect.poll(() => sent.getByText('done').count(), { timeout: 20_000 }).toBe(2)
      await page.getByText('on palindromes4 Nectar').waitFor()

      await page.getByRole('button', { name: 'Disconnect' }).click()
      await phone.ended
      await page.getByRole('button', { name: 'Connect account' }).waitFor()
      expect(new Set(sockets)).toEqual(new Set([relay.url]))
    },
  )
}

/** Text of a QR code on the page, as a camera would read it. */
async function scan(page: Page): Promise<string> {
  const SCALE = 4
  const { size, path } = await page.getByRole('img', { name: 'Code of the link' }).evaluate(svg => ({
    size: (svg as SVGSVGElement).viewBox.baseVal.width,
    path: svg.querySelector('path')?.getAttribute('d') ?? '',
  }))
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => `${x} ${y}`))
  const width = size * SCALE
  const data = Uint8Array.from({ length: width * width * 4 }, (_, at) => {
    const pixel = Math.floor(at / 4)
    const [x, y] = [pixel % width, Math.floor(pixel / width)].map(place => Math.floor(place / SCALE))
    return dark.has(`${x} ${y}`) && at % 4 < 3 ? 0 : 255
  })
  return decodeQR({ width, height: width, data })
}
