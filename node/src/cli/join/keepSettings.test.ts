import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readSettings } from '../options/config.ts'
import { keepSettings } from './keepSettings.ts'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'waggle-settings-')), 'waggle.yaml')
})

const settings = { role: 'solver', threads: '1', listen: ['/ip4/127.0.0.1/tcp/0'] }
const added = 'role: solver\nthreads: "1"\nlisten:\n  - /ip4/127.0.0.1/tcp/0\n'

test.each([
  ['', added],
  ['# Mine.\n', `# Mine.\n${added}`],
  ['---\n# role: judge\n', `---\n# role: judge\n${added}`],
  ['# Mine.\r\nhttp:   0x1F90   # why\r\n\r\n\r\n', `# Mine.\r\nhttp:   0x1F90   # why\r\n\r\n\r\n${added}`],
  ['log-level: debug # for now', `log-level: debug # for now\n${added}`],
  [
    'threads: 1\nrpc: >-\n  https://a.example\n',
    `threads: 1\nrpc: >-\n  https://a.example\n${added.replace('threads: "1"\n', '')}`,
  ],
])('other settings follow a file of %j', (before, after) => {
  writeFileSync(path, before)
  keepSettings(path, settings)
  expect(readFileSync(path, 'utf8')).toBe(after)
  expect(readSettings(path)).toMatchObject({ role: 'solver', listen: settings.listen })
})

test.each(['~\n', '{ log-level: debug }\n', '  log-level: debug\n', '---\nlog-level: debug\n...\n'])(
  'a file of %j is printed again, since nothing can follow it',
  before => {
    writeFileSync(path, before)
    const said = readSettings(path)
    keepSettings(path, settings)
    expect(readSettings(path)).toEqual({ ...said, ...settings })
  },
)

test.each(['log-level: debug\n', '{}\n'])('a link, and the mode of a file of %j, stay', text => {
  const target = `${path}.target`
  writeFileSync(target, text)
  chmodSync(target, 0o640)
  symlinkSync(target, path)
  keepSettings(path, settings)
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(statSync(target).mode & 0o777).toBe(0o640)
  expect(readSettings(target)).toMatchObject(settings)
})

test.each(['log-level: debug\n', '{}\n'])('others cannot read a password that is added to a file of %j', text => {
  writeFileSync(path, text)
  chmodSync(path, 0o644)
  keepSettings(path, { ...settings, sponsor: 'https://peer:hunter2@sponsor.example' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('an option that means what the file says is not another', () => {
  const before = 'role: solver\nlog-level: debug\nappeals: false\ndataset-share: 1\nlisten: []\n'
  writeFileSync(path, before)
  keepSettings(path, { role: 'solver', appeals: 'off', 'dataset-share': '1.0' })
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a file that says otherwise than the options stays, and they are refused', () => {
  writeFileSync(path, 'threads: 4\n')
  expect(() => keepSettings(path, settings)).toThrow("has another 'threads' than join would save")
  expect(readFileSync(path, 'utf8')).toBe('threads: 4\n')
})

test('a file that cannot be written is named, with what to add', () => {
  const judge = 'http://127.0.0.1:8000/v1#MODEL'
  writeFileSync(path, 'log-level: debug\n', { mode: 0o444 })
  chmodSync(dirname(path), 0o755)
  // Root may write to any file.
  const program = `import { keepSettings } from ${JSON.stringify(join(import.meta.dirname, 'keepSettings.ts'))}
    if (process.getuid() === 0) process.setuid(65534)
    try { keepSettings(${JSON.stringify(path)}, ${JSON.stringify({ ...settings, judge })}) }
    catch (error) { console.log(error.message, error.hint) }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(stdout).toBe(
    `${path} cannot be written (EACCES). Add to it, one a line: role: "solver"; threads: "1"; listen: ["/ip4/127.0.0.1/tcp/0"]; judge: (as in --judge)\n`,
  )
})

test('a file that takes only a part of the lines has none of them', () => {
  const before = '#'.repeat(1_020)
  writeFileSync(path, `${before}\n`)
  const program = `import { keepSettings } from ${JSON.stringify(join(import.meta.dirname, 'keepSettings.ts'))}
    keepSettings(${JSON.stringify(path)}, ${JSON.stringify(settings)})`
  // Blocks of 512 bytes.
  const limited = ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program]
  expect(spawnSync('sh', limited, { encoding: 'utf8' }).stderr).toContain('cannot be written (EFBIG)')
  expect(readFileSync(path, 'utf8')).toBe(`${before}\n`)
})
