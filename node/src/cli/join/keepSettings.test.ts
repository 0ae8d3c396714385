import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keepSettings } from './keepSettings.ts'

const path = join(mkdtempSync(join(tmpdir(), 'waggle-settings-')), 'waggle.yaml')
const settings = { role: 'solver', threads: '1', listen: ['/ip4/127.0.0.1/tcp/0'] }
const added = 'role: solver\nthreads: "1"\nlisten:\n  - /ip4/127.0.0.1/tcp/0\n'

test.each([
  ['', added],
  ['# Mine.\n', `# Mine.\n\n${added}`],
  ['# Mine.\nlog-level: debug # for now\n', `# Mine.\nlog-level: debug # for now\n${added}`],
  ['threads: 4\n', `threads: 4\n${added.replace('threads: "1"\n', '')}`],
])('a file of %j keeps what it says and gets the other settings', (before, after) => {
  writeFileSync(path, before)
  keepSettings(path, settings)
  expect(readFileSync(path, 'utf8')).toBe(after)
})
