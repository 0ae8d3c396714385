import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeChatModel } from './chatModelFolder.ts'

const root = join(import.meta.dirname, '../..')
const decoder = join(root, 'node/model/src/model/golden/decoders/llama-linear')
const scratch = mkdtempSync(join(tmpdir(), 'waggle-guide-'))
beforeAll(() => writeChatModel(join(scratch, 'chat'), 'guide'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Prerequisites of the guides' blocks, by a word of the block. */
const given: Record<string, string> = {
  'new Graph()': `
    import { Graph } from '${root}/node/model/src/engine/graph.ts'
    import { gradients } from '${root}/node/model/src/engine/gradients.ts'
    import { encodeModel } from '${root}/node/model/src/engine/onnxModel.ts'
    import { createSession, tensor } from '${root}/node/model/src/engine/session.ts'
    import { linear, mul, sumOver } from '${root}/node/model/src/engine/tensor.ts'
    const [data, weights] = [new Float32Array(12), new Float32Array(6)]`,
  'loadScorer(': 'const [prompt, trueToken, falseToken] = [Int32Array.of(1, 2, 3), 4, 5]',
  'trainStep(model, groups': `
    const completion = (reward) => ({ tokens: Int32Array.of(4, 5), logprobs: new Float32Array(2).fill(-4), reward })
    const groups = [{ prompt: Int32Array.of(1, 2), completions: [completion(0), completion(1)] }]`,
  'saveAdapterCheckpoint(': 'const [prompt, reward] = [Int32Array.of(1, 2, 3), tokens => tokens.length % 2]',
}

/** The blocks of a guide, or the examples of a file's docstrings, as programs on a tiny model. */
function programsOf(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const blocks = path.endsWith('.md')
    ? [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    : [...text.matchAll(/@example\n([\s\S]*?)\n \*\n/g)].map(([, code = '']) => code.replaceAll(/^ \* ?/gm, ''))
  // A rule of the table is a fragment, not a program.
  const programs = blocks.filter(code => !code.startsWith('gradient:'))
  return programs.map(code => {
    const [, prelude = ''] = Object.entries(given).find(([word]) => code.includes(word)) ?? []
    const imports = path.endsWith('.md') ? '' : "import { generate, loadModel } from '@waggle/model'\n"
    return `${imports}${prelude}\n${code}`
      .replaceAll(/'path\/to\/adapter'/g, `'${join(scratch, 'model/adapter')}'`)
      .replaceAll(/'path\/to\/[\w.-]+'/g, `'${join(scratch, code.includes('openTokenizer') ? 'chat' : 'model')}'`)
      .replaceAll(/'out\//g, `'${scratch}/out/`)
      .replace(/step < 100|steps: 100/, text => text.replace('100', '2'))
  })
}

const guides = ['docs/engine.md', 'docs/guides/train-a-model.md', 'node/model/src/library/index.ts'].flatMap(path =>
  programsOf(path).map((program, i): [string, string] => [`${path}, ${i + 1}`, program]),
)

test('the guides have programs', () => expect(guides.length).toBeGreaterThanOrEqual(5))

test.concurrent.each(guides)('the example of the guide runs: %s', async (name, program) => {
  cpSync(decoder, join(scratch, 'model'), { recursive: true, force: false })
  const path = join(scratch, `${name.replaceAll(/\W/g, '-')}.mts`)
  const modules = join(scratch, 'node_modules')
  try {
    symlinkSync(join(root, 'node_modules'), modules)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  writeFileSync(path, program)
  const { stderr } = await promisify(execFile)(process.execPath, [path], { cwd: scratch })
  expect(stderr).toBe('')
})
