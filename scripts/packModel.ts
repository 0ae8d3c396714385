/** `npm run pack:model -- DIR`: builds the package @waggle/model, JavaScript and types, and packs it into DIR. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')

const LAYERS = ['core', 'engine', 'model', 'rl', 'library']
/** What is run by its path: a worker thread, and probes of devices in processes of their own. */
const STARTED = ['model/tokenizers/tokenizerWorker.ts', 'engine/devices/probeDevice.ts', 'rl/device/placementsProbe.ts']
/** What the library may need; everything else that a peer needs stays out. */
const DEPENDENCIES = [
  ...['@huggingface/gguf', '@huggingface/jinja', '@huggingface/tokenizers', '@ipld/dag-cbor', '@noble/curves'],
  ...['@noble/hashes', 'multiformats', 'onnxruntime-node', 'zod'],
]

/** @returns the path of the tarball. */
export async function packModel(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(tmpdir(), 'waggle-model-'))
  try {
    await copySources(join(work, 'src'))
    await build(work)
    await writeFile(join(work, 'package.json'), JSON.stringify(await manifestOf(join(work, 'dist')), null, 2))
    await cp(join(root, 'node/src/library/README.md'), join(work, 'README.md'))
    await cp(join(root, 'LICENSE'), join(work, 'LICENSE'))
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', resolve(folder)], { cwd: work })
    const { filename } = firstOf<{ filename: string }>(JSON.parse(stdout))
    return join(resolve(folder), filename)
  } finally {
    await rm(work, { recursive: true })
  }
}

/** npm 10 lists packages, later ones name them. */
const firstOf = <T>(packed: T[] | Record<string, T>): T => Object.values(packed)[0] as T

/** Sources with relative imports between layers, since a compiler rewrites no others, and with the names of files once they are built. */
async function copySources(folder: string): Promise<void> {
  for (const layer of LAYERS) {
    const files = await readdir(join(root, 'node/src', layer), { recursive: true })
    for (const file of files.filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
      const path = join(layer, file)
      const text = await readFile(join(root, 'node/src', path), 'utf8')
      const relativeTo = (target: string) => {
        const from = relative(dirname(path), target)
        return from.startsWith('.') ? from : `./${from}`
      }
      const built = text
        .replaceAll(/'#([^']+)'/g, (_, target) => `'${relativeTo(target)}'`)
        .replaceAll(/(new URL\('[^']+|join\(import\.meta\.dirname, '[^']+)\.ts'/g, "$1.js'")
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), built)
    }
  }
}

async function build(work: string): Promise<void> {
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, rewriteRelativeImportExtensions: true, outDir: 'dist', rootDir: 'src' },
    ...{ typeRoots: [join(root, 'node_modules/@types')] },
  }
  const files = ['library/index.ts', ...STARTED].map(file => join('src', file))
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }
  await writeFile(join(work, 'tsconfig.json'), JSON.stringify(config))
  await writeFile(join(work, 'package.json'), JSON.stringify({ type: 'module' }))
  await symlink(join(root, 'node_modules'), join(work, 'node_modules'), 'dir')
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', work]).catch(({ stdout }) => {
    throw new Error(`the package does not compile:\n${stdout}`)
  })
  await rm(join(work, 'node_modules'))
}

async function manifestOf(dist: string) {
  const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { dependencies } = JSON.parse(await readFile(join(root, 'node/package.json'), 'utf8'))
  const needed = [...(await packagesIn(dist))].toSorted()
  const others = needed.filter(name => !DEPENDENCIES.includes(name))
  if (others.length > 0) throw new Error(`the library must not need ${others.join(', ')}`)
  return {
    ...{ name: '@waggle/model', version, license, type: 'module', engines: { node: '>=22.18' } },
    description: 'Language models on ONNX Runtime: generation, scoring and reinforcement learning, without Python.',
    exports: { '.': { types: './dist/library/index.d.ts', default: './dist/library/index.js' } },
    files: ['dist', 'README.md', 'LICENSE'],
    dependencies: Object.fromEntries(needed.map(name => [name, dependencies[name]])),
  }
}

/** Packages that the built files import. */
async function packagesIn(dist: string): Promise<Set<string>> {
  const files = (await readdir(dist, { recursive: true })).filter(name => name.endsWith('.js'))
  const texts = await Promise.all(files.map(file => readFile(join(dist, file), 'utf8')))
  const imported = texts.flatMap(text => [...text.matchAll(/(?:\bfrom |\bimport\(|\bimport )'([^'.][^']*)'/g)])
  const names = imported.map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  return new Set(names.filter(name => !name.startsWith('node:')))
}

if (process.argv[1] === import.meta.filename) console.log(await packModel(process.argv[2] ?? '.'))
