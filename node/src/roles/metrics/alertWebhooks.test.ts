import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { createWebhookAlerts } from './alertWebhooks.ts'
import { wellPeer } from './testPeerState.ts'

type Post = { url: string; body: Record<string, unknown>; headers: Headers }

/** Webhooks that take what they are sent, but for those that `refuse` names. */
function watched(urls: readonly string[], refuse: (url: string) => Response | null = () => null) {
  const posts: Post[] = []
  const lines: string[] = []
  const clock = createManualClock()
  const fetchFn = (async (url: URL, init?: RequestInit) => {
    const { headers } = new Request(url, init)
    const refusal = refuse(String(url))
    if (refusal !== null) return refusal
    posts.push({ url: String(url), body: JSON.parse(String(init?.body)), headers })
    return new Response(null, { status: 204 })
  }) as typeof fetch
  const logger = createLogger({ write: line => void lines.push(line), format: 'json', level: 'debug', clock })
  const alerts = createWebhookAlerts(urls, { peer: { peer: 'a b c', peerId: '16Uiu' }, clock, logger, fetchFn })
  const look = async (freeBytes: number) => {
    await alerts.look({ ...wellPeer, freeBytes })
    return posts.splice(0)
  }
  return { look, lines }
}

const FULL = 0
const FREE = 2 ** 40

test('each webhook gets its own format', async () => {
  const telegram = 'https://api.telegram.org/bot123:secret/sendMessage?chat_id=5'
  const { look } = watched(['https://hooks.example/x', 'https://discord.com/api/webhooks/1/secret', telegram])
  const message = '0 MiB are left on the disk. Lower --keep-mb or free some space.'
  const text = `Waggle peer a b c, disk firing: ${message}`
  expect((await look(FULL)).map(({ body }) => body)).toEqual([
    { alert: 'disk', state: 'firing', message, peer: 'a b c', peerId: '16Uiu' },
    { content: text, allowed_mentions: { parse: [] } },
    { text },
  ])
})

test('no error quotes the credentials of a webhook', async () => {
  const refuse = () => new Response(null, { status: 403 })
  const { look, lines } = watched(['https://api.telegram.org/bot123:secret/sendMessage?chat_id=5'], refuse)
  expect(await look(FULL)).toEqual([])
  expect(lines.join()).toContain('api.telegram.org answers with status 403.')
  expect(lines.join()).not.toContain('secret')
})

test('a webhook may have a user name and a password, which fetch refuses in a URL', async () => {
  const [post] = await watched(['https://me:pass@hook.example/x']).look(FULL)
  expect([post?.url, post?.headers.get('authorization')]).toEqual(['https://hook.example/x', 'Basic bWU6cGFzcw=='])
})

test('a webhook that does not answer keeps nothing from another one, and is told what it missed', async () => {
  let isDead = true
  const [dead, alive] = ['https://dead.example/x', 'https://alive.example/y']
  const { look } = watched([dead, alive], url => {
    if (isDead && url === dead) throw new TypeError('no route')
    return null
  })
  const told = async (freeBytes: number) => (await look(freeBytes)).map(({ url, body }) => [url, body.state])
  expect(await told(FULL)).toEqual([[alive, 'firing']])
  expect(await told(FULL)).toEqual([])
  expect(await told(FREE)).toEqual([[alive, 'resolved']])
  expect(await told(FULL)).toEqual([[alive, 'firing']])
  isDead = false
  expect(await told(FULL)).toEqual([[dead, 'firing']])
  expect(await told(FREE)).toEqual([
    [dead, 'resolved'],
    [alive, 'resolved'],
  ])
})
