import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDockerignore } from './readDockerignore.ts'

const root = join(import.meta.dirname, '../..')
const isLeftOut = readDockerignore(readFileSync(join(root, 'deployments/docker/Dockerfile.dockerignore'), 'utf8'))

test('keys, passwords and builds of this machine stay out of images', () => {
  const left = [
    'my-peer/account.key',
    '.waggle/peers/solver-1/account.key',
    'deployments/docker/.env',
    '.env',
    '.git/config',
    'artifacts/build-info/a.json',
    'node_modules/viem/package.json',
    'indexer/node_modules/zod/package.json',
    'dashboard/.next/BUILD_ID',
    'dashboard/test/.next/BUILD_ID',
    'indexer/.ponder/log',
  ]
  expect(left.filter(path => !isLeftOut(path))).toEqual([])
})

test('images contain the tracked files of the packages, and all that the Dockerfile copies', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n')
  const packages = /^(contracts|dashboard|deployments|indexer|node|scripts)\//
  const needed = ['.npmrc', 'package.json', 'package-lock.json', 'hardhat.config.ts', 'tsconfig.json']
  const missing = tracked.filter(path => (packages.test(path) || needed.includes(path)) && isLeftOut(path))
  expect(missing).toEqual([])
})

test('the last rule that fits a path, or a folder above it, decides', () => {
  const isOut = readDockerignore('# all\n*\n!kept\n**/a.*\nkept/*/b\n')
  const paths = ['kept', 'kept/c/d', 'other', 'other/kept', 'kept/a.txt', 'kept/c/d/a.x', 'kept/c/b', 'kept/c/d/b']
  expect(paths.map(path => [path, isOut(path)])).toEqual([
    ['kept', false],
    ['kept/c/d', false],
    ['other', true],
    ['other/kept', true],
    ['kept/a.txt', true],
    ['kept/c/d/a.x', true],
    ['kept/c/b', true],
    ['kept/c/d/b', false],
  ])
})
