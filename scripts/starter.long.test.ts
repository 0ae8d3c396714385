import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDecoderConfig } from '../node/model/src/model/decoder/decoderConfig.ts'
import { readWeights } from '../node/model/src/model/decoder/weights.ts'
import { readJudgeCalibration } from '../node/src/environments/codezero/judge/backTranslation.ts'

const script = join(import.meta.dirname, 'starter.ts')
let work = ''
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-starter-'))
})
afterAll(() => rm(work, { recursive: true, force: true }))

const run = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: 1 << 24 })

test('The smoke form runs every stage, and a second run finds them done.', async () => {
  const { stdout } = await run('--smoke', '--json', '--work', work)
  const { out, bars } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { out: string; bars: unknown[] }
  expect(bars).toHaveLength(10)
  for (const name of ['solver', 'judge']) {
    const config = await readDecoderConfig(join(out, name))
    expect((await readWeights(join(out, name), config)).size).toBeGreaterThan(10)
    expect(existsSync(join(out, name, 'README.md'))).toBe(true)
    expect(existsSync(join(out, name, 'tokenizer.json'))).toBe(true)
  }
  expect((await readJudgeCalibration(join(out, 'judge'))).gap).toBeTypeOf('number')
  const weights = await stat(join(work, 'judge', 'model.safetensors'))
  const again = await run('--smoke', '--json', '--work', work)
  expect(again.stderr).toBe('')
  expect((await stat(join(work, 'judge', 'model.safetensors'))).mtimeMs).toBe(weights.mtimeMs)
}, 300_000)
