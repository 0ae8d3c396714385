import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from '../../measure/bench.ts'

const run = promisify(execFile)

export const LLAMA_VERSION = '3.22.1'
/** Pinned: ratios to a moving peer would say nothing. */
const PYTHON_PACKAGES = ['torch==2.15.0', 'transformers==5.23.0', 'trl==1.16.0', 'peft', 'accelerate']

/** The module of node-llama-cpp, installed at the first asking; its binary for the CPU comes with it. */
export function llamaModule(bench: Bench): Promise<string> {
  return bench.once('node-llama-cpp', async () => {
    const folder = join(bench.folder, 'llama')
    const module = join(folder, 'node_modules/node-llama-cpp/dist/index.js')
    if (existsSync(module)) return module
    bench.log(`installing node-llama-cpp ${LLAMA_VERSION}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "private": true }')
    const argv = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `node-llama-cpp@${LLAMA_VERSION}`]
    await run('npm', argv, { cwd: folder, timeout: 600_000, maxBuffer: 1 << 26 })
    return module
  })
}

/** A Python that has torch, transformers and TRL, set up at the first asking; null if there is no python3. */
export function pythonPeer(bench: Bench): Promise<string | null> {
  return bench.once('python', async () => {
    const folder = join(bench.folder, 'python')
    const python = join(folder, 'bin/python')
    const ready = () => run(python, ['-c', 'import torch, transformers, trl, peft'], { timeout: 300_000 })
    if (existsSync(python) && (await ready().catch(() => null))) return python
    if (!(await run('python3', ['--version']).catch(() => null))) return null
    bench.log('installing torch, transformers and TRL (some GB)')
    await run('python3', ['-m', 'venv', folder])
    const argv = ['-m', 'pip', 'install', '--quiet', ...PYTHON_PACKAGES]
    await run(python, argv, { timeout: 1_800_000, maxBuffer: 1 << 26 })
    await ready()
    return python
  })
}
