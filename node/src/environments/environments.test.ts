import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentKinds, parseSpec, presets } from './builtIn.ts'

const root = join(import.meta.dirname, '..', '..', '..')

test('an environment’s folder is imported only by the list of environments and by what makes its models', () => {
  const sources = globSync(['node/src/**/*.ts', 'scripts/**/*.ts', 'indexer/{src,rules}/**/*.ts'], { cwd: root })
  const others = sources.filter(
    path => !/\.test\.ts$|^scripts\/(starter|bench\/codezero)|^node\/src\/environments\/(\w+\/|builtIn\.ts)/.test(path),
  )
  expect(others.length).toBeGreaterThan(300)
  const inFolder = /from '(?:#environments|(?:\.\.?\/)+(?:[\w/]*\/)?environments)\/\w+\/|import\('#environments\/\w+\//
  expect(others.filter(path => inFolder.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
  const shared = sources.filter(
    path => /^node\/src\/environments\/[\w.]+$/.test(path) && !/builtIn|\.test\./.test(path),
  )
  expect(shared.filter(path => /from '\.\/\w+\//.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test('a specification is read by the schema of the kind that it names', () => {
  expect(parseSpec(JSON.parse(JSON.stringify(presets.starter)))).toEqual(presets.starter)
  expect(() => parseSpec({ ...presets.starter, groupSize: 1 })).toThrow('groupSize')
  expect(() => parseSpec({ ...presets.starter, name: 'toString' })).toThrow('name')
  expect(Object.keys(environmentKinds)).toContain(presets.starter.name)
})
