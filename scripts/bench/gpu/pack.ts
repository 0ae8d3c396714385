import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from '../../measure/bench.ts'
import { importClosure } from './importClosure.ts'

const run = promisify(execFile)

/** Size limit of a kit. */
const MOST_BYTES = 45e6

/** Packages that TRL needs besides torch, transformers, peft and their dependencies. */
const WHEELS = ['trl==1.16.0', 'datasets==5.2.0', 'dill==0.4.1', 'multiprocess==0.70.19']

const ENTRIES = [
  'scripts/bench.ts',
  'scripts/bench/gpu.ts',
  'scripts/bench/gpu/question.ts',
  'node/model/src/engine/devices/probeDevice.ts',
]
const SCRIPTS = [
  'scripts/bench/peers/trlStep.py',
  'scripts/bench/gpu/torchPeer.py',
  'package.json',
  'node/package.json',
  'node/model/package.json',
  'tsconfig.json',
]
const BINARIES = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64'

/** Writes a folder that measures the GPU of a machine without network: `DIR/run`. */
export async function packKit(root: string, folder: string, bench: Bench): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`)
  await cp(await runtimeArchive(root, bench), join(folder, 'runtime.tar.xz'))
  const work = await mkdtemp(join(tmpdir(), 'waggle-kit-'))
  try {
    await packCode(root, work)
    await packOthers(work, bench)
    await run('tar', ['-cJf', join(folder, 'code.tar.xz'), '-C', work, '.'])
  } finally {
    await rm(work, { recursive: true })
  }
  await cp(join(import.meta.dirname, 'run.sh'), join(folder, 'run'))
  const archives = ['runtime.tar.xz', 'code.tar.xz']
  const sums = await Promise.all(archives.map(async name => `${await sha256(join(folder, name))}  ${name}\n`))
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  const sizes = await Promise.all((await readdir(folder)).map(async name => (await stat(join(folder, name))).size))
  const bytes = sizes.reduce((a, b) => a + b, 0)
  if (bytes > MOST_BYTES) throw new Error(`the kit has ${bytes} bytes, and may have ${MOST_BYTES}`)
  bench.log(`${folder}: ${(bytes / 1e6).toFixed(1)} MB; copy it there and run ${folder}/run`)
}

/** Node and ONNX Runtime, compressed once for each version, which takes minutes. */
async function runtimeArchive(root: string, bench: Bench): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'node_modules/onnxruntime-node/package.json'), 'utf8'))
  const archive = join(bench.folder, `kit-node-${process.versions.node}-onnxruntime-${version}.tar.xz`)
  if (existsSync(archive)) return archive
  bench.log('compressing Node and ONNX Runtime, once')
  const work = join(await mkdtemp(join(tmpdir(), 'waggle-kit-')), 'runtime')
  await cp(join(root, BINARIES), work, { recursive: true })
  // Symbols are for debuggers.
  await run('strip', ['-o', join(work, 'node'), process.execPath])
  await mkdir(bench.folder, { recursive: true })
  await run('tar', ['-cJf', `${archive}.part`, '-C', dirname(work), 'runtime'])
  await run('mv', [`${archive}.part`, archive])
  await rm(dirname(work), { recursive: true })
  return archive
}

/** The modules that the measurement imports, and the packages that these do. */
async function packCode(root: string, work: string): Promise<void> {
  const { files, packages } = await importClosure(root, ENTRIES)
  for (const file of [...files, ...SCRIPTS]) await cp(join(root, file), join(work, 'code', file))
  for (const name of packages) {
    const from = join(root, 'node_modules', name)
    await cp(from, join(work, 'code/node_modules', name), {
      recursive: true,
      filter: path => !path.startsWith(join(from, 'bin')) && !/\.(map|md|d\.[cm]?ts)$/.test(path),
    })
  }
  // As npm links a workspace.
  await mkdir(join(work, 'code/node_modules/@waggle'))
  await symlink('../../node/model', join(work, 'code/node_modules/@waggle/model'), 'dir')
}

/** The Vulkan loader, and the wheels that TRL needs. Anything that cannot be fetched is left out and reported. */
async function packOthers(work: string, bench: Bench): Promise<void> {
  const fetchInto = async (folder: string, command: string, argv: readonly string[]) => {
    await mkdir(join(work, folder), { recursive: true })
    await run(command, [...argv], { cwd: join(work, folder) }).catch(error =>
      bench.log(`left out ${folder}: ${String(error.message).split('\n')[0]}`),
    )
  }
  await fetchInto('vulkan', 'apt-get', ['download', 'libvulkan1'])
  const target = ['--no-deps', '--only-binary=:all:', '--python-version', '3.12']
  await fetchInto('wheels', 'python3', ['-m', 'pip', 'download', '-q', ...target, ...WHEELS])
}

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
