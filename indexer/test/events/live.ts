import { afterAll, expect, test } from 'vitest'
import { LiveClient } from '../liveClient.ts'
import type { Scene } from './scene.ts'

/** The stream of events, from an index that has some. The last test ends the indexer. */
export function testLive(scene: Scene): void {
  const clients: LiveClient[] = []
  afterAll(() => {
    for (const client of clients) client.close()
  })

  async function listen(query = '', headers: Record<string, string> = {}): Promise<LiveClient> {
    const client = await LiveClient.open(`${scene.indexer.url}/live${query}`, headers)
    clients.push(client)
    return client
  }

  test('a subscriber gets the head at once, then every event as it is indexed', async () => {
    const { chain } = scene
    const [one, two] = [await listen(), await listen()]
    await one.next('head')
    const { peerKey, peerId } = await chain.register()
    for (const client of [one, two]) {
      const { id, data } = await client.next('item', ({ kind }) => kind === 'peerRegistered')
      expect(data).toMatchObject({ id, peerKey, detail: { peerId } })
      await client.next('head', ({ blockNumber }) => Number(blockNumber) >= Number(data.blockNumber))
    }
  })

  test('a latecomer may ask for the last few events', async () => {
    const client = await listen('?last=2')
    await client.next('item', ({ kind }) => kind === 'peerRegistered')
    expect(client.received.filter(({ event }) => event === 'item')).toHaveLength(2)
  })

  test('a browser that reconnects gets what it missed and nothing twice', async () => {
    const { chain, indexer } = scene
    const first = await listen('?last=1')
    const { id = '' } = await first.next('item')
    first.close()
    const { peerKey } = await chain.register()
    await indexer.reachTip(chain)
    const again = await listen('', { 'last-event-id': id })
    await again.next('item')
    expect(again.received.filter(({ event }) => event === 'item').map(({ data }) => data.peerKey)).toEqual([peerKey])
  })

  test('an event that a reorganisation undid is retracted', async () => {
    const { chain } = scene
    const client = await listen()
    const { peerKey } = await chain.register()
    const { id } = await client.next('item', ({ peerKey: key }) => key === peerKey)
    await chain.reorganise(1)
    await client.next('retract', ({ id: retracted }) => retracted === id)
  })

  test('open streams do not keep the indexer from ending', async () => {
    const { indexer } = scene
    expect(await indexer.end('SIGTERM')).toBe(0)
  })
}
