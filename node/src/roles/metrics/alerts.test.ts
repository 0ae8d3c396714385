import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { type Alert, createAlertSender, createAlerts } from './alerts.ts'
import type { PeerState } from './watchPeer.ts'

const well: PeerState = {
  ...{
    role: 'solver',
    round: 1,
    pastRoundSec: -5,
    roundSec: 20,
    connectedPeers: 3,
    aloneReason: null,
    advice: null,
    reachableBy: 'direct',
    publicAddresses: 1,
  },
  ...{ balanceEth: 1, pointsMilli: 0, freeBytes: 2 ** 40, chainAgeSec: 1, twin: null, workerRestart: null },
}

function watched() {
  const clock = createManualClock()
  const sent: string[] = []
  const refuses = { now: false }
  const told: Alert[] = []
  const send = async (one: Alert) => {
    const { alert, state } = one
    if (refuses.now) throw new Error('not now')
    sent.push(`${alert} ${state}`)
    told.push(one)
  }
  const alerts = createAlerts({ send, clock, logger: silentLogger })
  const look = async (changes: Partial<PeerState>) => {
    await alerts.look({ ...well, ...changes })
    return sent.splice(0)
  }
  return { clock, look, refuses, told }
}

test.each<[string, Partial<PeerState>]>([
  ['behind', { pastRoundSec: 101 }],
  ['low funds', { balanceEth: 0.001 }],
  ['disk', { freeBytes: 1000 }],
])('%s is told once, and once that it is over', async (name, wrong) => {
  const { look } = watched()
  expect(await look({})).toEqual([])
  expect(await look(wrong)).toEqual([`${name} firing`])
  expect(await look(wrong)).toEqual([])
  // An unknown state ends no alert.
  expect(await look({ balanceEth: null, freeBytes: null, pastRoundSec: name === 'behind' ? 101 : -5 })).toEqual([])
  expect(await look({})).toEqual([`${name} resolved`])
  expect(await look({})).toEqual([])
})

test('a peer that runs twice raises an alert with the evidence and what to do', async () => {
  const { look, told } = watched()
  expect(await look({ twin: 'it announces /ip4/192.0.2.7/tcp/4001' })).toEqual(['runs twice firing'])
  expect(told.at(-1)?.message).toMatch(/192\.0\.2\.7.*Stop one of the two/)
  expect(await look({})).toEqual(['runs twice resolved'])
})

test('a model worker that was replaced is reported with the reason', async () => {
  const { look, told } = watched()
  const workerRestart = { atMs: 0, restarts: 2, reason: 'the policy worker gave no sign of life for 612 s' }
  expect(await look({ workerRestart })).toEqual(['worker restarted firing'])
  expect(told.at(-1)?.message).toMatch(/2 times in all: .* no sign of life for 612 s/)
  expect(await look({})).toEqual(['worker restarted resolved'])
})

test('a solver without points for twelve rounds is reported; an evaluator has none to earn', async () => {
  const { look } = watched()
  expect(await look({ round: 1 })).toEqual([])
  expect(await look({ round: 12 })).toEqual([])
  expect(await look({ round: 13 })).toEqual(['no points firing'])
  expect(await look({ round: 14, pointsMilli: 10 })).toEqual(['no points resolved'])
  expect(await look({ round: 99, role: 'evaluator' })).toEqual([])
})

test('a peer that stays alone is reported after two minutes', async () => {
  const { look, clock } = watched()
  const alone = { connectedPeers: 0, aloneReason: 'nobody known', advice: 'do this' }
  expect(await look(alone)).toEqual([])
  clock.advance(60_000)
  await look({})
  await look(alone)
  clock.advance(119_000)
  expect(await look(alone)).toEqual([])
  clock.advance(1_000)
  expect(await look(alone)).toEqual(['alone firing'])
  expect(await look({})).toEqual(['alone resolved'])
})

test('an alert that nobody took is sent again', async () => {
  const { look, refuses } = watched()
  refuses.now = true
  expect(await look({ freeBytes: 1 })).toEqual([])
  refuses.now = false
  expect(await look({ freeBytes: 1 })).toEqual(['disk firing'])
})

test('each webhook gets its own format, and no error quotes its credentials', async () => {
  const alert = { alert: 'disk', state: 'firing', message: 'full', peer: 'a b c', peerId: '16Uiu' } as const
  const posted: unknown[] = []
  const fetchFn = (async (_, init) => {
    posted.push(JSON.parse(String(init?.body)))
    return new Response(null, { status: posted.length > 3 ? 403 : 204 })
  }) as typeof fetch
  const telegram = 'https://api.telegram.org/bot123:secret/sendMessage?chat_id=5'
  const all = ['https://hooks.example/x', 'https://discord.com/api/webhooks/1/secret', telegram]
  await createAlertSender(all, fetchFn)(alert)
  const text = 'Waggle peer a b c, disk firing: full'
  expect(posted).toEqual([alert, { content: text, allowed_mentions: { parse: [] } }, { text }])
  const refused = await createAlertSender([telegram], fetchFn)(alert).catch(error => error)
  expect(refused.message).toBe('api.telegram.org answers with status 403.')
  expect(JSON.stringify([refused.message, refused.hint, String(refused.cause)])).not.toContain('secret')
})

test('a webhook may have a user name and a password, which fetch refuses in a URL', async () => {
  const alert = { alert: 'disk', state: 'firing', message: 'full', peer: 'a b c', peerId: '16Uiu' } as const
  let asked: Request | undefined
  const fetchFn = (async (url, init) => {
    asked = new Request(url, init)
    return new Response(null, { status: 204 })
  }) as typeof fetch
  await createAlertSender(['https://me:pass@hook.example/x'], fetchFn)(alert)
  expect([asked?.url, asked?.headers.get('authorization')]).toEqual(['https://hook.example/x', 'Basic bWU6cGFzcw=='])
})

test('a webhook that does not answer makes no other one hear an alert again', async () => {
  const alert = { alert: 'disk', state: 'firing', message: 'full', peer: 'a b c', peerId: '16Uiu' } as const
  const urls = ['https://dead.example/x', 'https://alive.example/y']
  let heard = 0
  const fetchFn = (async url => {
    if (String(url).includes('dead')) throw new TypeError('no route')
    heard += 1
    return new Response(null, { status: 204 })
  }) as typeof fetch
  const sender = createAlertSender(urls, fetchFn)
  expect((await sender(alert).catch(error => error)).message).toBe('dead.example does not answer.')
  await sender(alert).catch(() => undefined)
  expect(heard).toBe(1)
  // Its end is another alert, and so is the next time.
  await sender({ ...alert, state: 'resolved' }).catch(() => undefined)
  await sender(alert).catch(() => undefined)
  expect(heard).toBe(3)
})
