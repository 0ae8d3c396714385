import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
  ['bootnodes', ['there'], '--bootnode is not a multiaddr such as /ip4/0.0.0.0/tcp/4001'],
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
