import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-packages-test-'))
  await module('site', 'datasets', 'import dill, xxhash; version = f"kit, {dill.version}"')
  await module('site', 'dill', 'version = "dill of the kit"')
  await cp(join(import.meta.dirname, '../gpu/site/xxhash.py'), join(folder, 'site/xxhash.py'))
  await module('broken', 'datasets', 'import dill; raise RuntimeError("too old")')
  await module('broken', 'dill', 'version = "dill of the machine"')
  await module('whole', 'datasets', 'version = "machine"')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function module(site: string, name: string, source: string): Promise<void> {
  await mkdir(join(folder, site), { recursive: true })
  await writeFile(join(folder, site, `${name}.py`), `${source}\n`)
}

async function python(script: string, site: string): Promise<string> {
  const path = `${join(folder, site)}:${import.meta.dirname}`
  const env = { PATH: process.env.PATH ?? '', PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)('python3', ['-c', script], { env })
  return stdout.trim()
}

/** The `datasets` that is imported on a machine with these packages, with a kit or without. */
const imported = (machine: string, kit: string) =>
  python(
    `from kitPackages import with_kit
def load():
    import datasets
    return datasets.version
print(with_kit(load, ${JSON.stringify(join(folder, kit))}))`,
    machine,
  )

test("The machine's packages are taken if they work, otherwise all of the kit's.", async () => {
  expect(await imported('whole', 'site')).toBe('machine')
  expect(await imported('none', 'site')).toBe('kit, dill of the kit')
  expect(await imported('broken', 'site')).toBe('kit, dill of the kit')
  await expect(imported('broken', 'none')).rejects.toThrow('RuntimeError: too old')
})

test("The kit's xxhash tells different values apart, as datasets asks it to.", async () => {
  const script = `import xxhash
def fingerprint(*parts):
    h = xxhash.xxh64()
    for part in parts: h.update(part)
    return h.hexdigest()
a = fingerprint(b"a", b"bc")
print(len(a), a == fingerprint(b"ab", b"c"), a == fingerprint(b"abd"))`
  expect(await python(script, 'site')).toBe('16 True False')
})
