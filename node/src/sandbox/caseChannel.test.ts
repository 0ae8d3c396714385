import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { openCaseChannel } from './caseChannel.ts'

const given = { code: '', expressions: ['f(2)'], timeoutMs: 10 }

/** A channel to a child whose every answer is `answer` of the case's id. */
function channelTo(answer: (id: string) => string | null) {
  const [requests, answers] = [new PassThrough(), new PassThrough()]
  const kill = vi.fn()
  requests.on('data', line => {
    const text = answer((JSON.parse(String(line)) as { id: string }).id)
    if (text !== null) answers.write(text)
  })
  return { ...openCaseChannel({ requests, answers, kill }), answers, kill }
}

const valuesOf = (id: string, values: unknown = ['4']) => `${JSON.stringify({ id, outcome: 'values', values })}\n`

test('An answer with the case\u2019s id counts, in one piece or several.', async () => {
  const whole = channelTo(valuesOf)
  expect(await whole.ask(given, 1_000)).toEqual({ outcome: 'values', values: ['4'] })
  expect(await whole.ask(given, 1_000)).toEqual({ outcome: 'values', values: ['4'] })
  const split = channelTo(id => {
    setImmediate(() => split.answers.write(valuesOf(id).slice(9)))
    return valuesOf(id).slice(0, 9)
  })
  expect(await split.ask(given, 1_000)).toEqual({ outcome: 'values', values: ['4'] })
  expect([whole.kill, split.kill].every(kill => kill.mock.calls.length === 0)).toBe(true)
})

test('A silent child is killed, and its case is a timeout.', async () => {
  const { ask, kill } = channelTo(() => null)
  expect(await ask(given, 5)).toEqual({ outcome: 'timeout' })
  expect(kill).toHaveBeenCalledOnce()
  expect(await ask(given, 5)).toEqual({ outcome: 'broken' })
})

const wrong: Record<string, (id: string) => string> = {
  'for an unknown id': () => valuesOf('3f0c6c52-7d5f-4a80-9f6e-0a3f0c6c527d'),
  'without an id': () => `${JSON.stringify({ outcome: 'values', values: ['4'] })}\n`,
  twice: id => valuesOf(id) + valuesOf(id),
  'with a verdict': id => `${JSON.stringify({ id, outcome: 'pass' })}\n`,
  'with too few values': id => valuesOf(id, []),
  'with too many values': id => valuesOf(id, ['4', '4']),
  'with a long value': id => valuesOf(id, ['4'.repeat(401)]),
  'with a number': id => valuesOf(id, [4]),
  'with more fields': id => `${JSON.stringify({ id, outcome: 'error', verdict: 'pass' })}\n`,
  'without JSON': () => 'pass\n',
  'without end': () => 'x'.repeat(10_000),
}

test.each(Object.entries(wrong))('A child that answers %s is killed.', async (_, answer) => {
  const { ask, kill } = channelTo(answer)
  expect(await ask(given, 1_000)).toEqual({ outcome: 'broken' })
  expect(kill).toHaveBeenCalled()
})

test('A child that speaks when it was not asked is killed, and its words are not the next answer.', async () => {
  const { ask, kill, answers } = channelTo(() => null)
  answers.write(valuesOf('3f0c6c52-7d5f-4a80-9f6e-0a3f0c6c527d'))
  await expect.poll(() => kill).toHaveBeenCalled()
  expect(await ask(given, 5)).toEqual({ outcome: 'broken' })
})

test.each([undefined, new Error('read ECONNRESET')])(
  'A child that ends, with error %s, breaks its case.',
  async error => {
    const { ask, answers } = channelTo(() => null)
    const asked = ask(given, 1_000)
    answers.destroy(error)
    expect(await asked).toEqual({ outcome: 'broken' })
  },
)
