import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packModel } from './packModel.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const model = join(root, 'node/model/src/model/golden/decoders/llama-linear')

/** A program of a user who has only the package. */
const program = `
import { loadModel, train, type TrainMetrics } from '@waggle/model'

const model = await loadModel(${JSON.stringify(model)}, { training: { optimizer: { kind: 'adamW' } } })
const metrics: TrainMetrics[] = await train(model, {
  tasks: [{ prompt: Int32Array.of(5, 17, 3), below: 48 }, { prompt: Int32Array.of(88), below: 48 }],
  reward: ({ tokens }, { below }) => tokens.filter(token => token < below).length / tokens.length,
  steps: 12,
  tasksPerStep: 2,
  sampling: { maxNewTokens: 12 },
  update: { learningRate: 1e-2 },
})
await model.dispose()
console.log(JSON.stringify(metrics))
`

test('the package trains a model from an empty folder, with its types and the packages that it names alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waggle-packed-'))
  try {
    const dependencies = await install(await packModel(folder), folder)
    expect(dependencies.filter(name => /libp2p|viem|pyodide/.test(name))).toEqual([])
    expect(await importedPackages(join(folder, 'node_modules/@waggle/model/dist'))).toEqual(dependencies)
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'main.ts'), program)
    const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--types', 'node']
    await run(join(root, 'node_modules/.bin/tsc'), [...options, 'main.ts'], { cwd: folder })
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder })
    const metrics = JSON.parse(stdout)
    expect(metrics.map(({ step }: { step: number }) => step)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1))
    expect(metrics.at(-1).reward).toBeGreaterThan(metrics[0].reward + 0.2)
    for (const figure of ['loss', 'gradientNorm', 'rewardStd', 'entropy', 'completionLength'])
      expect(metrics[0][figure], figure).toEqual(expect.any(Number))
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Packages that built files import: all that are linked into one `node_modules` could be imported unnoticed. */
async function importedPackages(dist: string): Promise<string[]> {
  const files = (await readdir(dist, { recursive: true })).filter(name => name.endsWith('.js'))
  const texts = await Promise.all(files.map(file => readFile(join(dist, file), 'utf8')))
  const imported = texts.flatMap(text => [...text.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^'.#][^']*)'/g)])
  const names = imported.map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  return [...new Set(names.filter(name => !isBuiltin(name)))].toSorted()
}

/** Installs as npm does, without a registry: the tarball unpacked, with links to its dependencies. */
async function install(tarball: string, folder: string): Promise<string[]> {
  const home = join(folder, 'node_modules/@waggle/model')
  await mkdir(home, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components', '1'])
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  for (const name of ['@types/node', ...Object.keys(dependencies)]) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link, 'dir')
  }
  return Object.keys(dependencies)
}
