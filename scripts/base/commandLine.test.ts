import { afterEach, expect, test, vi } from 'vitest'
import { count } from '../../node/src/cli/options/optionKinds.ts'
import { helpOption, readCommandLine } from './commandLine.ts'

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

const options = { ...helpOption, runs: count(2).default(100).meta({ value: 'N', description: 'runs' }) }
const read = (...args: string[]) => readCommandLine({ usage: ['usage: do it'], options }, args)

test('options are read by their schemas, with their defaults', () => {
  expect(read('--runs', '3').values).toEqual({ help: false, runs: 3 })
  expect(read().values.runs).toBe(100)
})

test('help exits with 0, a wrong call with 64, and both print how the script is called', () => {
  expect(ending(() => read('--help'))).toEqual({ code: 0, printed: 'usage: do it' })
  for (const [args, problem] of [
    [['--run', '3'], 'Did you mean --runs?'],
    [['stray'], "' -- '"],
    [['--runs'], '--runs'],
    [['--runs', '1'], '--runs must be at least 2'],
    [['--runs', '-3'], '--runs must be at least 2'],
    [['--runs', '1.5'], '--runs must be a whole number'],
    [['--runs='], 'the value of --runs is empty'],
  ] as const) {
    const { code, printed } = ending(() => read(...args))
    expect(code, args.join(' ')).toBe(64)
    expect(printed, args.join(' ')).toContain(problem)
    expect(printed, args.join(' ')).toContain('usage: do it')
  }
})

test('arguments are taken where a script has some', () => {
  const { positionals } = readCommandLine({ usage: [], options, hasArguments: true }, ['report', '--runs', '3'])
  expect(positionals).toEqual(['report'])
})
