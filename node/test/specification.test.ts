import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { describeTokenizer } from '#environments/chatTokenizer.ts'
import { codeZeroSpecSchema } from '#environments/codezero/environmentSpec.ts'
import { kind as codeZero } from '#environments/codezero/kind.ts'
import { kind as reasoning } from '#environments/reasoning/kind.ts'
import { reasoningSpecSchema } from '#environments/reasoning/reasoningSpec.ts'
import { writeChatModel } from './chatModelFolder.ts'
import { codeZeroProbes, codeZeroSpec, loading } from './specification/codeZeroProbes.ts'
import { fieldsOf, type Probes, withFields } from './specification/fields.ts'
import { reasoningProbes, reasoningSpec } from './specification/reasoningProbes.ts'

const folder = mkdtempSync(join(tmpdir(), 'waggle-fields-'))
await writeChatModel(folder, 'fields')
const { tokenizerHash, vocabSize } = await describeTokenizer(folder)

function testFields<Spec extends object>(schema: z.ZodType, spec: Spec, probes: Probes<Spec>): void {
  test('every field that may change has a case, and no other', () => {
    expect(Object.keys(probes).toSorted()).toEqual(fieldsOf(schema))
  })

  test.each(Object.entries(probes))(
    '%s changes the behaviour',
    async (path, { value, given = {}, also = {}, seen }) => {
      const before = withFields(spec, given)
      const after = withFields(before, value === undefined ? also : { [path]: value, ...also })
      expect(await seen(after)).not.toEqual(await seen(before))
    },
  )
}

describe('CodeZero', () => {
  const [spec, load] = [codeZeroSpec(tokenizerHash, vocabSize), loading(codeZero, folder)]
  test('the specification that is changed is one of the folder', async () => {
    expect(await load(spec)).toMatchObject({ judgeModel: { precision: 'float32' } })
  })
  testFields(codeZeroSpecSchema, spec, codeZeroProbes(load))
})

describe('Reasoning', () => {
  const [spec, load] = [reasoningSpec(tokenizerHash, vocabSize), loading(reasoning, folder)]
  test('the specification that is changed is one of the folder', async () => {
    expect(await load(spec)).toEqual({ judgeModel: null })
  })
  testFields(reasoningSpecSchema, spec, reasoningProbes(load))
})
