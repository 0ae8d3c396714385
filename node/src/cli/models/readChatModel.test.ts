import { join } from 'node:path'
import { expect, test } from 'vitest'
import { starterFolder } from '#environments/builtIn.ts'
import { readChatModel } from './readChatModel.ts'

test('a starter model is not chatted with, and what measures it is named', async () => {
  await expect(readChatModel(join(starterFolder, 'solver'))).rejects.toMatchObject({
    message: expect.stringContaining('has no chat template'),
    hint: expect.stringContaining('npx waggle eval --policy'),
  })
})
