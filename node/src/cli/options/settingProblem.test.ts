import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { loadConfig } from './config.ts'

const data = mkdtempSync(join(tmpdir(), 'waggle-settings-'))

test.each([
  ['role', 'wizard', "--role must be proposer, solver, evaluator, judge, auditor or gateway, not 'wizard'"],
  ['level', '6', "--level must be at most 5, not '6'"],
  ['threads', 'x', "--threads must be a number, not 'x'"],
  ['demands', '1.5', "--demands must be a whole number, not '1.5'"],
  ['dataset-share', '0', "--dataset-share must be more than 0, not '0'"],
  ['appeals', 'many', "--appeals must be off or a number, not 'many'"],
  ['bootnodes', ['there'], '--bootnode is not a TCP multiaddr such as /ip4/0.0.0.0/tcp/4001'],
  ['rpc', 'node.example/key', '--rpc is not an http or https URL, or several by commas'],
])('--%s %s is refused in words', (setting, value, words) => {
  expect(() => loadConfig({ data, [setting]: value })).toThrow(`Bad option: ${words}.`)
})

test('A setting of the file is named as the file spells it', () => {
  writeFileSync(join(data, SETTINGS_FILE), 'rol: solver\nlevel: 9\n')
  expect(() => loadConfig({ data })).toThrow(
    "level must be at most 5, not '9'; there is no setting 'rol' (did you mean 'role'?).",
  )
})

test('settings of release 0.2 are read after their folder was migrated', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waggle-settings-'))
  writeFileSync(join(folder, SETTINGS_FILE), 'role: solver\nlog: json\n')
  expect(loadConfig({ data: folder })).toMatchObject({ role: 'solver', 'log-format': 'json' })
})

const file = join(data, SETTINGS_FILE)

test.each([
  ['role: solver\n\tlevel: 1\n', 'line 2, tab as indent'],
  ['role: solver\nrole: judge\n', 'line 2, duplicate key'],
  ['role: solver\n---\nrole: judge\n', 'line 2, multiple docs'],
  ['role: !!js/function x\n', 'line 1, tag resolve failed'],
  [
    'a: &a [x]\nb: &b [*a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]\n',
    'aliases that repeat too much',
  ],
])('the fault of %j is named by its line', (text, fault) => {
  writeFileSync(file, text)
  expect(() => loadConfig({ data })).toThrow(`${file} is not YAML with one setting a line: ${fault}`)
})

test.each([
  ['role:\n', `Bad setting in ${file}: role has no value.`],
  ['__proto__: {role: solver}\n', "there is no setting '__proto__'"],
  ['keep-mb: 1e30\n', "keep-mb must be at most 9007199254740991, not '1e+30'."],
  ['[role]\n', `${file} does not have one setting a line`],
])('%j is refused', (text, words) => {
  writeFileSync(file, text)
  expect(() => loadConfig({ data })).toThrow(words)
})

test('a key in the wrong place is not quoted, nor is a whole file', () => {
  const url = 'https://user:t0ps3cret@node.example/t0ps3cret'
  for (const text of [`${url}: 1`, `role: ${url}`, `rpc ${url}`, `rpc: [${url}]`, `role: ${'x'.repeat(5_000)}`]) {
    writeFileSync(file, `${text}\n`)
    const error = thrown(() => loadConfig({ data }))
    expect(formatError(error)).not.toContain('t0ps3cret')
    expect(formatError(error).length).toBeLessThan(500)
  }
})

test('a settings file that is a link to nothing is not taken for none', () => {
  rmSync(file)
  symlinkSync('gone', file)
  expect(() => loadConfig({ data })).toThrow(`${file} is a symbolic link to a file that does not exist.`)
})

function thrown(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}
