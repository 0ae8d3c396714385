import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from './config.ts'
import { requireFitting } from './requireFitting.ts'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'waggle-fitting-'))
  vi.stubEnv('HF_TOKEN', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(data, { recursive: true, force: true })
})

const SERVER = 'http://127.0.0.1:8000/v1#m'
const fit = (settings: object) => requireFitting(loadConfig({ data, ...settings }))

test.each([
  [{ role: 'evaluator', lora: 0 }, 'An evaluator trains no adapter.'],
  [{ role: 'judge', 'lora-alpha': 8 }, 'A judge trains no adapter.'],
  [{ role: 'solver', bases: ['some/base'] }, 'A solver checks no adapters.'],
  [{ role: 'auditor', bases: ['some/base'] }, '--base needs --environment'],
  [{ role: 'solver', proposer: SERVER }, 'A solver proposes no tasks.'],
  [{ role: 'auditor', dataset: 'tasks.jsonl' }, 'An auditor neither proposes nor learns.'],
  [{ role: 'proposer', lora: 8, proposer: SERVER }, 'A model on a server stays frozen.'],
  [{ role: 'proposer', lora: 8, dataset: 'tasks.jsonl' }, 'No model proposes'],
  [{ role: 'solver', 'dataset-share': 0.5 }, 'A solver proposes no tasks.'],
  [{ role: 'proposer', 'dataset-share': 0.5 }, '--dataset-share needs --dataset.'],
  [{ role: 'solver', 'push-every': 5 }, '--push-every needs --push.'],
  [{ role: 'judge', push: 'some/policy' }, 'A judge learns nothing.'],
  [{ role: 'solver', push: 'some/policy' }, '--push needs an access token.'],
  [{ role: 'evaluator', generate: SERVER }, 'An evaluator samples no answers.'],
  [{ role: 'solver', 'generate-adapters': 'served' }, '--generate-adapters needs --generate.'],
  [{ role: 'solver', 'figures-of': ['solver'] }, 'A solver serves no pages.'],
  [{ role: 'auditor', sponsor: 'http://127.0.0.1:9' }, 'An auditor does not register.'],
])('%o is refused', (settings, problem) => expect(() => fit(settings)).toThrow(problem))

test.each([
  { role: 'solver', lora: 16, generate: SERVER, 'generate-adapters': 'served' },
  { role: 'proposer', lora: 8, dataset: 'tasks.jsonl', 'dataset-share': 0.5 },
  { role: 'gateway', 'figures-of': ['solver'] },
  { role: 'evaluator', sponsor: 'http://127.0.0.1:9' },
])('%o fits', settings => expect(() => fit(settings)).not.toThrow())

test('a setting that came from the file is looked for there', () => {
  const hint = (settings: object) => expect(() => fit(settings))
  hint({ role: 'evaluator', lora: 16 }).toThrow(expect.objectContaining({ hint: expect.not.stringContaining(data) }))
  writeFileSync(join(data, 'waggle.yaml'), 'lora: "16"\n')
  const named = expect.stringContaining(`set in ${join(data, 'waggle.yaml')}.`)
  hint({ role: 'evaluator' }).toThrow(expect.objectContaining({ hint: named }))
})
