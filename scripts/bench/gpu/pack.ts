import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from '../../measure/bench.ts'
import { rows } from '../gpu.ts'
import { jsonOf, unmeasured } from '../rowsFile.ts'
import { importClosure } from './importClosure.ts'

const run = promisify(execFile)

/** Size limit of a kit. */
const MOST_BYTES = 45e6

/**
 * TRL, and what it needs besides torch, transformers, peft, pandas, pyarrow and their dependencies. Later versions of datasets do not load with the
 * huggingface-hub of transformers 4. Of its two clients for HTTP huggingface-hub brings one or none, by its version. xxhash is compiled, so
 * `site/xxhash.py` stands in for it.
 */
const WHEELS = [
  ...['trl==1.16.0', 'datasets==4.7.0', 'dill==0.4.0', 'multiprocess==0.70.18'],
  ...['requests==2.32.5', 'urllib3==2.5.0', 'certifi==2025.10.5', 'idna==3.11'],
  ...['httpx==0.28.1', 'httpcore==1.0.9', 'h11==0.16.0', 'anyio==4.11.0', 'sniffio==1.3.1'],
]

/** Vulkan's loader, and what NVIDIA's drivers for GLX and EGL link to: a container without a display has none of it. */
const LIBRARIES = [
  'libvulkan1',
  ...['libx11-6', 'libxext6', 'libxcb1', 'libxau6', 'libxdmcp6', 'libbsd0', 'libmd0'],
  ...['libegl1', 'libglvnd0'],
]

const ENTRIES = [
  'scripts/bench.ts',
  'scripts/bench/gpu.ts',
  'scripts/bench/gpu/question.ts',
  'scripts/bench/gpu/vulkanDriver.ts',
  'node/model/src/engine/devices/probeDevice.ts',
]
const SCRIPTS = [
  'scripts/bench/peers/trlStep.py',
  'scripts/bench/peers/kitPackages.py',
  'scripts/bench/gpu/torchPeer.py',
  'package.json',
  'node/package.json',
  'node/model/package.json',
  'tsconfig.json',
]
const BINARIES = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64'

/** Parts of a kit besides this code. */
export interface KitParts {
  /** Path of a tar archive of one folder, with Node and ONNX Runtime. */
  readonly runtime: string
  /** Adds `vulkan`, a folder with the loader and what drivers link to, and `code/site`, packages of Python, to the folder. */
  addOthers(work: string): Promise<void>
}

/** Writes a folder that measures the GPU of a machine without network: `DIR/run`. */
export async function packKit(root: string, folder: string, bench: Bench): Promise<void> {
  const bytes = await writeKit(root, folder, {
    runtime: await runtimeArchive(root, bench),
    addOthers: work => packOthers(work, bench),
  })
  if (bytes > MOST_BYTES) throw new Error(`the kit has ${bytes} bytes, and may have ${MOST_BYTES}`)
  bench.log(`${folder}: ${(bytes / 1e6).toFixed(1)} MB; copy it there and run ${folder}/run`)
}

/** Writes a kit from its parts. Returns its size in bytes. */
export async function writeKit(root: string, folder: string, { runtime, addOthers }: KitParts): Promise<number> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`)
  await cp(runtime, join(folder, 'runtime.tar.xz'))
  const work = await mkdtemp(join(tmpdir(), 'waggle-kit-'))
  try {
    await packCode(root, work)
    await addOthers(work)
    await run('tar', ['-cJf', join(folder, 'code.tar.xz'), '-C', work, '.'])
  } finally {
    await rm(work, { recursive: true })
  }
  await cp(join(import.meta.dirname, 'run.sh'), join(folder, 'run'))
  await cp(join(import.meta.dirname, 'diagnose.sh'), join(folder, 'diagnose'))
  await packXz(join(folder, 'xz'))
  await writeFile(join(folder, 'unmeasured.json'), jsonOf(rows.map(row => unmeasured(row, 'REASON'))))
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const checked = files.filter(path => path !== join(folder, 'run'))
  const sums = await Promise.all(checked.map(async path => `${await sha256(path)}  ${relative(folder, path)}\n`))
  await writeFile(join(folder, 'SHA256SUMS'), sums.join(''))
  const sizes = await Promise.all(files.map(async path => (await stat(path)).size))
  return sizes.reduce((a, b) => a + b, 0)
}

/** The packer's xz with its library: a container may have neither xz nor Python. */
async function packXz(folder: string): Promise<void> {
  await mkdir(folder)
  const { stdout: path } = await run('sh', ['-c', 'command -v xz'])
  await cp(path.trim(), join(folder, 'xz'), { dereference: true })
  const { stdout: linked } = await run('ldd', [path.trim()])
  const library = /=> (\S*liblzma\.so\.5)/.exec(linked)?.[1]
  if (library !== undefined) await cp(library, join(folder, 'liblzma.so.5'), { dereference: true })
}

/** Node and ONNX Runtime, compressed once for each version, which takes minutes. */
async function runtimeArchive(root: string, bench: Bench): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'node_modules/onnxruntime-node/package.json'), 'utf8'))
  const archive = join(bench.folder, `kit-node-${process.versions.node}-onnxruntime-${version}.tar.xz`)
  if (existsSync(archive)) return archive
  bench.log('compressing Node and ONNX Runtime, once')
  await mkdir(bench.folder, { recursive: true })
  await archiveRuntime(root, `${archive}.part`, '-cJf')
  await rename(`${archive}.part`, archive)
  return archive
}

/** @param create - the option of tar that writes the archive, compressed (`-cJf`) or not (`-cf`). */
export async function archiveRuntime(root: string, archive: string, create: '-cJf' | '-cf'): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'waggle-kit-'))
  try {
    await cp(join(root, BINARIES), join(work, 'runtime'), { recursive: true })
    // Symbols are for debuggers.
    await run('strip', ['-o', join(work, 'runtime/node'), process.execPath])
    await run('tar', [create, archive, '-C', work, 'runtime'])
  } finally {
    await rm(work, { recursive: true })
  }
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

/** Vulkan's libraries, and TRL with what it needs. Anything that cannot be fetched is left out and reported. */
async function packOthers(work: string, bench: Bench): Promise<void> {
  const fetchInto = async (folder: string, command: string, argv: readonly string[]) => {
    await mkdir(join(work, folder), { recursive: true })
    await run(command, [...argv], { cwd: join(work, folder) }).catch(error =>
      bench.log(`left out ${folder}: ${String(error.message).split('\n')[0]}`),
    )
  }
  // Unpacked here: the other machine may have no dpkg.
  const unpack = 'for package in *.deb; do dpkg-deb -x "$package" . || exit 1; done; rm -r *.deb usr/share'
  await fetchInto('vulkan', 'sh', ['-c', `apt-get download ${LIBRARIES.join(' ')} && ${unpack}`])
  const target = ['--no-deps', '--only-binary=:all:', '--python-version', '3.12']
  const download = ['-m', 'pip', 'download', '-q', ...target, ...WHEELS]
  // Unpacked, which is smaller in the archive.
  const unpackWheels = 'for wheel in *.whl; do python3 -m zipfile -e "$wheel" . && rm "$wheel" || exit 1; done'
  await fetchInto('code/site', 'sh', ['-c', `python3 "$@" && ${unpackWheels}`, 'sh', ...download])
  await cp(join(import.meta.dirname, 'site'), join(work, 'code/site'), { recursive: true })
}

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
