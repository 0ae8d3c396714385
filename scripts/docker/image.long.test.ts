import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Executed, executeImage } from './executeImage.ts'
import { instructionsOf, readDockerfile } from './readDockerfile.ts'

const repository = join(import.meta.dirname, '../..')
let work = ''
let image: Executed

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-image-'))
  // The image's user enters it, too.
  await chmod(work, 0o755)
  const [root, context] = [join(work, 'root'), join(work, 'context')]
  await mkdir(root)
  await copyTracked(context)
  const text = await readFile(join(repository, 'deployments/docker/Dockerfile'), 'utf8')
  const instructions = instructionsOf(readDockerfile(text), 'peer')
  image = await executeImage(instructions, { root, context, say: line => console.log(line) })
})
afterAll(() => rm(work, { recursive: true, force: true }))

/** As a clone has it: what git knows, with what was edited. */
async function copyTracked(context: string): Promise<void> {
  const listed = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: repository, maxBuffer: 1 << 26 })
  for (const file of listed.stdout.split('\0').filter(name => name !== '')) {
    await mkdir(dirname(join(context, file)), { recursive: true })
    await cp(join(repository, file), join(context, file))
  }
}

test("the peer's image says its version, makes keys that only its user reads, and passes its own doctor", async () => {
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  expect(await image.enter(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(await image.enter(['init', '--data', '/data', '--json'])).toMatchObject({ code: 0, stderr: '' })
  const key = await stat(join(work, 'root/data/peer.key'))
  expect(key.mode & 0o777).toBe(0o600)
  if (image.uid !== null) expect(key.uid).toBe(image.uid)

  const { code, stdout } = await image.enter(['doctor', '--data', '/data', '--json'])
  const { findings } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    findings: { check: string; state: string }[]
  }
  const stateOf = (name: string) => findings.find(({ check }) => check === name)?.state
  expect(['node', 'system', 'keys', 'disk'].map(stateOf)).toEqual(['ok', 'ok', 'ok', 'ok'])
  // No deployment was named, and nothing else is wrong.
  expect(findings.filter(({ state }) => state === 'failure').map(({ check }) => check)).toEqual(['deployment'])
  expect(code).toBe(1)
})

test("the image's default command is one that the peer takes", async () => {
  const { stderr, code } = await image.enter([...image.command, '--network', 'sepolia'])
  // It gets as far as the record, which this repository does not have.
  expect([code, stderr]).toEqual([64, expect.stringMatching(/not deployed on the network 'sepolia'/)])
})
