import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../base/freePorts.ts'
import { type Executed, executeImage } from './executeImage.ts'
import { instructionsOf, readDockerfile } from './readDockerfile.ts'
import { readDockerignore } from './readDockerignore.ts'

const repository = join(import.meta.dirname, '../..')
const docker = join(repository, 'deployments/docker')
let work = ''

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'waggle-image-'))
  // The image's user enters it, too.
  await chmod(work, 0o755)
  await copyTracked(join(work, 'context'))
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

async function build(target: string): Promise<Executed> {
  const root = join(work, target)
  await mkdir(root)
  const instructions = instructionsOf(readDockerfile(await readFile(join(docker, 'Dockerfile'), 'utf8')), target)
  const isLeftOut = readDockerignore(await readFile(join(docker, 'Dockerfile.dockerignore'), 'utf8'))
  return executeImage(instructions, {
    root,
    context: join(work, 'context'),
    isLeftOut,
    say: line => console.log(line),
  })
}

test("the peer's image says its version, makes keys that only its user reads, passes its own doctor, and takes its default command", async () => {
  const image = await build('peer')
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'))
  expect(await image.enter(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(await image.enter(['init', '--data', '/data', '--json'])).toMatchObject({ code: 0, stderr: '' })
  const key = await stat(join(work, 'peer/data/peer.key'))
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

  const joined = await image.enter([...image.command, '--network', 'sepolia'])
  // It gets as far as the record, which this repository does not have.
  expect([joined.code, joined.stderr]).toEqual([64, expect.stringMatching(/not deployed on the network 'sepolia'/)])
})

test('the whole image runs a swarm as its user, with an index and a dashboard, until a round is settled', async () => {
  const image = await build('whole')
  // Dashboard, gateway, index and peers, then the chain.
  const port = await freePorts(5)
  const extent = ['--rounds', '1', '--exit', '--held-out', '1', '--json']
  const run = [...image.command, ...extent, '--port', String(port), '--chain-port', String(port + 4)]
  const { code, stdout, stderr } = await image.enter(run)
  expect(code, stderr).toBe(0)
  const { rounds, peers } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  expect(rounds.length).toBeGreaterThan(0)
  expect(peers.filter(({ role }: { role: string }) => role === 'solver')).toHaveLength(3)
})
