import { expect, test } from 'vitest'
import { SessionError } from '#engine/engineError.ts'
import { reportIntegerKernels } from './devices.ts'

test('a CPU whose 8-bit products are not exact is reported, and the rest of the report with it', async () => {
  const inexact = () => Promise.reject(new SessionError('not exact', { hint: 'none' }))
  expect(await reportIntegerKernels(undefined, inexact)).toEqual({ integerKernels: [], integerReason: 'not exact' })
  await expect(reportIntegerKernels('/nowhere', inexact)).rejects.toMatchObject({ code: 'MODEL_FILE' })
})
