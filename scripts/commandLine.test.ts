import { afterEach, expect, test, vi } from 'vitest'
import { readCommandLine, readCount } from './commandLine.ts'

afterEach(() => vi.restoreAllMocks())

/** The exit code of a call that ends the process, and what it printed. */
function ending(call: () => unknown): { code: unknown; printed: string } {
  const printed: unknown[] = []
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation(line => void printed.push(line))
  let code: unknown
  vi.spyOn(process, 'exit').mockImplementation(status => {
    code = status
    throw new Error('exit')
  })
  expect(call).toThrow('exit')
  return { code, printed: printed.join('\n') }
}

const read = (...args: string[]) =>
  readCommandLine('usage: do it', { args, options: { help: { type: 'boolean' }, runs: { type: 'string' } } })

test('help exits with 0, an unknown option with 64, and both print how the script is called', () => {
  expect(read('--runs', '3').values.runs).toBe('3')
  expect(ending(() => read('--help'))).toEqual({ code: 0, printed: 'usage: do it' })
  for (const wrong of ['--nothing', 'stray', '--runs'])
    expect(
      ending(() => read(wrong)),
      wrong,
    ).toMatchObject({ code: 64, printed: expect.stringContaining('usage: do it') })
})

test('a count is a whole number within its bound', () => {
  expect(readCount('runs', '3', 'usage')).toBe(3)
  for (const wrong of ['', ' ', '0', '-1', '1.5', 'x', '1e99'])
    expect(
      ending(() => readCount('runs', wrong, 'usage')),
      wrong,
    ).toMatchObject({
      code: 64,
      printed: expect.stringContaining('--runs takes a whole number from 1'),
    })
})
