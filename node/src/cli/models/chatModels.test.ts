import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { starterFolder } from '#environments/builtIn.ts'
import { judgedByChatModel } from '#environments/codezero/testSpec.ts'
import { roleNames } from '#roles/roleName.ts'
import { UsageError } from '../usageError.ts'
import { openChatModels, readSpec } from './chatModels.ts'

const spec = judgedByChatModel
const path = join(mkdtempSync(join(tmpdir(), 'waggle-models-')), 'environment.json')
writeFileSync(path, JSON.stringify(spec))
const model = join(starterFolder, 'solver')

test('The judge is asked for by roles that score, and by no other.', async () => {
  const asking: string[] = []
  for (const role of roleNames)
    await openChatModels({ environment: path, model }, new AbortController().signal, role).then(
      opened => expect(opened).toMatchObject({ modelFolder: model, judgeFolder: null }),
      error => {
        expect(error).toBeInstanceOf(UsageError)
        asking.push(role)
      },
    )
  expect(asking.sort()).toEqual(['auditor', 'evaluator', 'solver'])
})

test('A file whose fields contradict each other is refused, naming each.', async () => {
  const broken = `${path}.broken`
  writeFileSync(broken, JSON.stringify({ ...spec, groupSize: 4, sampledLeaves: 256 }))
  const message = [
    'owedLeaves: expected tasksPerRound * groupSize, 8, not 16: missing leaves score 0, and further ones make the whole round 0',
    'sampledLeaves: expected at most owedLeaves, 16, not 256.',
  ].join('; ')
  await expect(readSpec(broken)).rejects.toThrow(`${broken} is not an environment's specification: ${message}`)
  writeFileSync(broken, JSON.stringify({ ...spec, groupSize: 'many' }))
  await expect(readSpec(broken)).rejects.toThrow('groupSize: Invalid input: expected number, received string')
  expect(await readSpec(path)).toEqual(spec)
})

test('A byte order mark of an editor is dropped, and a defect of the JSON is told.', async () => {
  const edited = `${path}.edited`
  writeFileSync(edited, `\uFEFF${JSON.stringify(spec)}`)
  expect(await readSpec(edited)).toEqual(spec)
  writeFileSync(edited, '{ "name": codezero }')
  await expect(readSpec(edited)).rejects.toThrow(/specification: the file: Unexpected token/)
})
