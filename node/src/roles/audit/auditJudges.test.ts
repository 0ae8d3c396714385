import { expect, test } from 'vitest'
import type { Environment } from '#environments/environment.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import { createAuditJudges } from './auditJudges.ts'

const environment = (hash: string) => ({ hash }) as unknown as Environment

test('a judge that could not be opened is opened again, and only those that opened are closed', async () => {
  const down = new ChatServerError('SERVER_OFFLINE', 'x cannot be reached.')
  let [opened, closed, isUp] = [0, 0, false]
  const judges = createAuditJudges(async () => {
    if (!isUp) throw down
    opened++
    return { close: async () => void closed++ }
  })
  await expect(judges.of(environment('a'))).rejects.toBe(down)
  isUp = true
  expect(await judges.of(environment('a'))).toBe(await judges.of(environment('a')))
  isUp = false
  const failing = judges.of(environment('b'))
  await judges.close()
  await expect(failing).rejects.toBe(down)
  expect({ opened, closed }).toEqual({ opened: 1, closed: 1 })
})
