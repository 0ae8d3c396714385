import { expect, onTestFinished } from 'vitest'
import { type BrowserScene, first, see, solver } from '../browserScene.ts'
import { answers } from '../fixtures/indexerAnswers.ts'
import { CHAIN_ID } from '../fixtures/servers.ts'
import { CURRENT_ROUND, proposer, standings } from '../fixtures/swarm.ts'

/** Pages while a source is away, or is not what it should be. */
export function testOutages(scene: BrowserScene): void {
  const { browserTest, visit } = scene

  browserTest(
    'without the indexer the chain and the gateway still show, and the rest returns automatically',
    async () => {
      await scene.dashboard.indexer.down()
      onTestFinished(() => scene.dashboard.indexer.up())
      const page = await visit('/')
      await see(page, `The indexer at ${scene.dashboard.indexer.url} does not answer.`)
      await see(page, 'Stream lost, trying again')
      await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
      await see(page, 'may be fooling its judge')
      for (const address of ['/rounds', '/rounds/9', `/peers/${solver.peerKey}`]) {
        await page.goto(scene.dashboard.url + address)
        await see(page, /The indexer at .* does not answer/)
      }
      await scene.dashboard.indexer.up()
      await page.getByRole('heading', { name: solver.name }).waitFor()
    },
  )

  browserTest('a slow index is named while pages wait for it, and it is told apart from one that is gone', async () => {
    const { indexer, url } = scene.dashboard
    const { promise: slow, resolve: hurry } = Promise.withResolvers<void>()
    const late = (name: string) => [name, (variables: object) => slow.then(() => answers[name]?.({ ...variables }))]
    indexer.answers = { ...answers, ...Object.fromEntries(['Standings', 'Peer', 'Game'].map(late)) }
    const page = await visit('/', { early: true })
    await see(page, 'Waiting for the indexer …')
    const [peer, game] = [
      await visit(`/peers/${solver.peerKey}`, { early: true }),
      await visit('/market/1', { early: true }),
    ]
    for (const waiting of [peer, game]) await see(waiting, 'Waiting for the indexer …')
    await see(page, `The indexer at ${indexer.url} has not answered in time.`)
    await see(page, /It is running, but busy/)
    hurry()
    await peer.getByRole('heading', { name: solver.name }).waitFor()
    await game.getByRole('heading', { name: 'Evidence' }).waitFor()
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
    await see(page, first(standings).name)
    expect((await page.request.get(`${url}/market/77`)).status()).toBe(404)
  })

  browserTest('an index that goes away or falls behind says since when, and recovers automatically', async () => {
    const { indexer } = scene.dashboard
    onTestFinished(() => indexer.up())
    const page = await visit('/')
    await see(page, /^Live$/)
    await indexer.down()
    await see(page, /^Stream lost at .*\d.*, trying again$/)
    indexer.behindSec = 600
    await indexer.up()
    await see(page, /^Stale since .*\d/)
    await see(page, 'The index is behind the chain.')
    await see(page, first(standings).name)
    indexer.behindSec = 0
    await see(page, /^Live$/)
    await page.getByText('The index is behind the chain.').waitFor({ state: 'detached' })
  })

  browserTest('a feed whose stream is refused asks again until it is let in, and for what it missed', async () => {
    const { indexer } = scene.dashboard
    indexer.isFull = true
    const page = await visit('/')
    await see(page, 'Stream lost, trying again')
    await expect.poll(() => indexer.asked.length, { timeout: 20_000 }).toBeGreaterThan(1)
    await see(page, first(standings).name)
    indexer.isFull = false
    await see(page, /^Live$/)
    const [initial, ...later] = indexer.asked
    expect([initial, new Set(later)]).toEqual(['/live', new Set(['/live?last=50'])])
    const item = { id: '999999999999', kind: 'peerMoved', round: null, peerKey: solver.peerKey, detail: {}, atSec: 1 }
    indexer.send('item', item)
    await see(page, 'moved to another account')
  })

  browserTest('a part of the page that comes late knows what the page has learned meanwhile', async () => {
    const { indexer, url } = scene.dashboard
    const { promise: late, resolve: arrive } = Promise.withResolvers<void>()
    indexer.answers = { ...answers, Feed: variables => late.then(() => answers.Feed?.(variables)) }
    indexer.behindSec = 600
    const page = await visit('/register')
    await page.goto(url, { waitUntil: 'commit' })
    await see(page, 'The index is behind the chain.')
    arrive()
    await see(page, /^Stale since .*\d/)
  })

  browserTest('without the gateway the chain’s own record still shows', async () => {
    await scene.dashboard.gateway.down()
    onTestFinished(() => scene.dashboard.gateway.up())
    const page = await visit(`/rounds/${CURRENT_ROUND - 2}`)
    await see(page, `The gateway node at ${scene.dashboard.gateway.url} does not answer.`)
    await see(page, solver.name)
    await page.goto(scene.dashboard.url)
    await page
      .getByText(/The gateway node at .* does not answer/)
      .first()
      .waitFor({ state: 'attached' })
    await page.getByRole('heading', { name: 'Leaderboard' }).waitFor()
  })

  browserTest('an answer in an unknown form is told apart from no answer', async () => {
    scene.dashboard.gateway.answers = () => ({ surprise: true })
    const page = await visit('/')
    await see(page, /The gateway node at .* answered in a form that this dashboard does not know/)
  })

  browserTest(
    'without the chain the clock says so and the index still shows; the clock resumes once the chain is back',
    async () => {
      await scene.dashboard.chain.down()
      onTestFinished(() => scene.dashboard.chain.up())
      const page = await visit('/')
      await see(page, `The chain at ${scene.dashboard.chain.url} does not answer.`)
      await see(page, proposer.name)
      await scene.dashboard.chain.up()
      await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
    },
  )

  browserTest('a chain that is not the deployment’s is named', async () => {
    scene.dashboard.chain.chainId = 1
    const page = await visit('/')
    await see(page, `is 1, but the contracts are on ${CHAIN_ID}.`)
  })

  browserTest('a browser that goes offline keeps the last state, says so, and resumes', async () => {
    const page = await visit('/')
    await page.getByRole('heading', { name: `Round ${CURRENT_ROUND}` }).waitFor()
    await page.context().setOffline(true)
    await see(page, /The dashboard does not answer/)
    expect(await page.getByText(first(standings).name).count()).toBeGreaterThan(0)
    await page.context().setOffline(false)
    await page.getByText(/The dashboard does not answer/).waitFor({ state: 'detached' })
  })
}
