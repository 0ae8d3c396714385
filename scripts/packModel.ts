/** `npm run pack:model -- DIR`: builds the workspace @waggle/model, JavaScript and types, and packs it into DIR. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '..')
const home = join(root, 'node/model')

/** @returns the path of the tarball. */
export async function packModel(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(tmpdir(), 'waggle-model-'))
  try {
    await build(join(work, 'dist'))
    await writeFile(join(work, 'package.json'), JSON.stringify(await builtManifest(), null, 2))
    await cp(join(home, 'README.md'), join(work, 'README.md'))
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

async function build(outDir: string): Promise<void> {
  const argv = ['-p', join(home, 'tsconfig.build.json'), '--outDir', outDir]
  await run(join(root, 'node_modules/.bin/tsc'), argv).catch(({ stdout }) => {
    throw new Error(`the package does not compile:\n${stdout}`)
  })
}

/** The workspace's manifest with the paths of what was built. Layers are imported inside of the package only. */
async function builtManifest() {
  const { version } = await readJson(join(root, 'package.json'))
  const { private: _, exports, imports, ...manifest } = await readJson(join(home, 'package.json'))
  const built = Object.entries<string>(imports).map(([name, source]) => [name, builtPath(source)])
  return { ...manifest, version, exports: { '.': builtPath(exports['.']) }, imports: Object.fromEntries(built) }
}

/** TypeScript finds the types next to it. */
const builtPath = (source: string) => source.replace('./src/', './dist/').replace(/\.ts$/, '.js')

const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'))

if (process.argv[1] === import.meta.filename) console.log(await packModel(process.argv[2] ?? '.'))
