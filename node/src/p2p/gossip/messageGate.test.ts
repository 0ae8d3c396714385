import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import { createPeerGuard } from '../connections/peerGuard.ts'
import type { Host } from '../host.ts'
import { createAdmission } from '../membership/admission.ts'
import { createMessageGate, type MessageRules } from './messageGate.ts'
import { encodeSigned, type SignedMessage } from './signedMessage.ts'
import { scoreThresholds } from './topicScore.ts'
import { ignore, ignoreAsOurs, type Verdict } from './verdict.ts'

/** Authors with an R are registered, unless told otherwise; a message whose data begins with 1 is signed. */
function scene(
  rules: Partial<MessageRules> = {},
  isRegistered = (id: string, _nowMs: number) => id.startsWith('R'),
  lookUpMs = 0,
) {
  const clock = createManualClock(1_000_000)
  const guard = createPeerGuard(clock, silentLogger)
  const counts = { calls: 0, verified: 0 }
  const admission = createAdmission({
    lookUp: async peerIds => {
      counts.calls += 1
      if (lookUpMs > 0) await clock.sleep(lookUpMs)
      return peerIds.map(id => isRegistered(id, clock.nowMs()))
    },
    clock,
    logger: silentLogger,
  })
  const host = {
    guard,
    messageQueue: { enter: async () => {} },
    isElsewhere: (message: SignedMessage) => message.from === 'R self',
    verify: async (message: SignedMessage) => {
      counts.verified += 1
      return message.data[0] === 1
    },
  } as unknown as Host
  const twins: SignedMessage[] = []
  const firstHand: string[] = []
  const gate = createMessageGate(host, {
    admission,
    sourceOf: sender => sender,
    clock,
    onTwin: message => twins.push(message),
    onFirstHand: message => firstHand.push(message.from),
  })
  const taken: string[] = []
  const filled: MessageRules = {
    check: () => ({ verdict: 'accept', value: null }),
    take(message) {
      taken.push(message.from)
      return { verdict: 'accept', value: null }
    },
    ...rules,
  }
  type Passed = Verdict<unknown>['verdict']
  async function pass(message: SignedMessage, sender: string): Promise<Passed> {
    const [passed] = await passAll([message], sender)
    return passed ?? 'reject'
  }
  /** One after the other, while the chain is asked about those before. */
  async function passAll(messages: SignedMessage[], sender: string): Promise<Passed[]> {
    const passing: Promise<Verdict<unknown>>[] = []
    for (const message of messages) {
      const screened = await gate.screen(message, sender, filled)
      passing.push(screened.verdict === 'accept' ? gate.admit(message, sender, filled) : Promise.resolve(screened))
    }
    for (let turn = 0; turn < 4; turn += 1) await new Promise(resolve => setImmediate(resolve))
    return (await Promise.all(passing)).map(({ verdict }) => verdict)
  }
  const isOut = (peer: string): boolean => guard.penaltyOf(peer) > -scoreThresholds.graylistThreshold
  return { gate, filled, pass, passAll, counts, twins, firstHand, taken, guard, clock, isOut }
}

function by(from: string, isSigned = true): SignedMessage {
  const none = new Uint8Array(0)
  const data = Uint8Array.of(isSigned ? 1 : 0)
  return encodeSigned({ from, sequence: new Uint8Array(8), topic: 't', data, signature: none, key: none })
}

test('a registered author is asked about once, then taken at once', async () => {
  const { pass, counts, taken } = scene()
  expect([await pass(by('R'), 'forwarder'), await pass(by('R'), 'forwarder')]).toEqual(['accept', 'accept'])
  expect(taken).toEqual(['R', 'R'])
  expect(counts.calls).toBe(1)
})

test('a message that another process signed with our key is reported, useful or not; a forged one is not', async () => {
  const { pass, twins } = scene({ check: () => ignore('not newer') })
  await pass(by('R self', false), 'forwarder')
  await pass(by('R'), 'forwarder')
  expect(twins).toEqual([])
  await pass(by('R self'), 'forwarder')
  expect(twins.length).toBe(1)
})

test('a message is first-hand if its author itself has gossiped it, useful or not', async () => {
  const { gate, filled, pass, firstHand } = scene({ check: () => ignore('signed in the future') })
  await pass(by('R forwarded'), 'forwarder')
  await pass(by('R forged', false), 'R forged')
  await gate.screen(by('R caught up with'), 'R caught up with', filled, new AbortController().signal)
  expect(firstHand).toEqual([])
  await pass(by('R'), 'R')
  expect(firstHand).toEqual(['R'])
})

test('an unsigned message costs no call to the chain, whoever it names as its author', async () => {
  const { pass, counts } = scene()
  expect(await pass(by('R', false), 'forwarder')).toBe('reject')
  expect(counts.calls).toBe(0)
})

test.each([
  { perTick: 10, lookUpMs: 0 },
  { perTick: 30, lookUpMs: 300 },
  { perTick: 100, lookUpMs: 20 },
])(
  '$perTick messages each 0.1 s of as many made-up authors cost seconds of look-ups of $lookUpMs ms, and then their forwarder',
  async ({ perTick, lookUpMs }) => {
    const { passAll, counts, clock, isOut } = scene({}, undefined, lookUpMs)
    for (let tick = 0; tick < 250 && !isOut('forwarder'); tick += 1) {
      const made = Array.from({ length: perTick }, (_, i) => by(`made up ${tick} ${i}`))
      void passAll(made, 'forwarder')
      for (let turn = 0; turn < 4; turn += 1) await new Promise(resolve => setImmediate(resolve))
      clock.advance(100)
    }
    expect(isOut('forwarder')).toBe(true)
    expect(counts.calls).toBeLessThan(8 + 25)
    expect(counts.verified).toBeLessThanOrEqual(64 * (counts.calls + 1))
  },
)

test('messages of an author known as unregistered are not verified, and whoever keeps forwarding them is penalised', async () => {
  const { pass, counts, isOut, clock } = scene()
  for (let i = 0; i < 100; i += 1) expect(await pass(by('made up'), 'forwarder')).toBe('ignore')
  expect(counts).toEqual({ calls: 1, verified: 1 })
  clock.advance(20_000)
  await pass(by('made up'), 'forwarder')
  expect(isOut('forwarder')).toBe(true)
})

test('nobody pays for messages of authors whose registration our endpoint shows a block later, however many register', async () => {
  const { passAll, clock, guard } = scene({}, (id, nowMs) => nowMs >= Number(id) + 12_000)
  const passing: Promise<unknown>[] = []
  let before: SignedMessage[] = []
  for (let second = 0; second < 60; second += 1) {
    const now = Array.from({ length: 20 }, (_, i) => by(`${clock.nowMs() + i}`))
    passing.push(passAll([...before, ...now], 'forwarder'))
    before = now
    for (let turn = 0; turn < 4; turn += 1) await new Promise(resolve => setImmediate(resolve))
    clock.advance(1_000)
  }
  let isDone = false
  const all = Promise.all(passing).finally(() => {
    isDone = true
  })
  for (; !isDone; clock.advance(1_000)) await new Promise(resolve => setImmediate(resolve))
  await all
  expect(guard.penaltyOf('forwarder')).toBe(0)
})

test('a few messages of an author that only we do not know yet cost nobody', async () => {
  const { passAll, guard } = scene()
  await passAll(
    Array.from({ length: 30 }, (_, i) => by(`new ${i}`)),
    'forwarder',
  )
  expect(guard.penaltyOf('forwarder')).toBe(0)
})

test('one connection has 4,096 signatures verified at once and 128 a second, others have theirs', async () => {
  const { pass, counts, clock } = scene()
  for (let i = 0; i < 4120; i += 1) await pass(by('R'), 'a')
  expect(counts.verified).toBe(4096)
  await pass(by('R'), 'b')
  expect(counts.verified).toBe(4097)
  clock.advance(1000)
  for (let i = 0; i < 150; i += 1) await pass(by('R'), 'a')
  expect(counts.verified).toBe(4097 + 128)
})

test('a neighbour that forwards more useful messages than we verify is not to blame, and one that forwards useless ones is', async () => {
  const useful = scene()
  for (let i = 0; i < 10_000; i += 1) await useful.pass(by('R'), 'neighbour')
  expect(useful.guard.penaltyOf('neighbour')).toBe(0)
  const useless = scene({ check: () => ignore('not newer') })
  for (let i = 0; i < 4_200; i += 1) await useless.pass(by('R'), 'neighbour')
  expect(useless.isOut('neighbour')).toBe(true)
})

test('a message above our own limits costs its author nothing', async () => {
  const full = scene({ check: () => ignoreAsOurs('round is full') })
  for (let i = 0; i < 1_000; i += 1) await full.pass(by('R'), 'R')
  expect(full.guard.penaltyOf('R')).toBe(0)
})

test('claims of a stranger about itself are kept and not forwarded; claims of others about it are not kept', async () => {
  const kept: string[] = []
  const takeStranger: MessageRules['takeStranger'] = message => {
    kept.push(message.from)
    return { verdict: 'accept', value: null }
  }
  const { pass, taken } = scene({ takeStranger })
  expect([await pass(by('x'), 'x'), await pass(by('y'), 'x')]).toEqual(['ignore', 'ignore'])
  expect(kept).toEqual(['x'])
  expect(taken).toEqual([])
})

test('a useless message counts against an author that sent it directly, and not against the peer that forwarded it', async () => {
  const { pass, guard } = scene({ check: () => ignore('not newer') })
  for (let i = 0; i < 70; i += 1) await pass(by('R'), 'forwarder')
  expect(guard.penaltyOf('forwarder')).toBe(0)
  for (let i = 0; i < 70; i += 1) await pass(by('R'), 'R')
  expect(guard.penaltyOf('R')).toBeGreaterThan(0)
})
