import { writeSync } from 'node:fs'
import { type Device, devices } from '../devices/device.ts'
import { placementsMark } from '../devices/placements.ts'
import type { Op } from '../op.ts'
import { createSession, type Tensor } from '../session.ts'
import { caseModel } from './caseModel.ts'
import { opCases } from './opCases.ts'

// Runs in its own process, since a driver may crash: runs every case of the op table on the CPU and on the device in argv, and prints the difference
// of each as one JSON line. The runtime's log goes to stderr.
const device = devices.find(name => name === process.argv[2])
if (device === undefined) throw new RangeError(`unknown device ${process.argv[2]}`)

async function outputsOn(where: Device, op: Op, i: number): Promise<Record<string, Tensor>> {
  const { model, feeds } = caseModel(op, opCases[op][i] as (typeof opCases)[Op][number], 'f32', where)
  writeSync(2, placementsMark(`${where} ${op} ${i}`))
  const session = await createSession(model, { threads: 1, isVerbose: where !== 'cpu' })
  const outputs = await session.run(feeds)
  await session.dispose()
  return outputs
}

/** The largest difference of two tensors, relative to the largest number of the first. */
function apart(expected: Tensor | undefined, found: Tensor | undefined): number {
  const [a, b] = [expected, found].map(value => Array.from(value?.data ?? [], Number)) as [number[], number[]]
  const largest = a.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-3)
  if (a.length !== b.length || a.length === 0) return Number.POSITIVE_INFINITY
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - (b[i] ?? 0)) / largest), 0)
}

for (const op of Object.keys(opCases) as Op[]) {
  for (const [i, { tolerance = 1e-5, title, float16 }] of opCases[op].entries()) {
    const expected = await outputsOn('cpu', op, i)
    const found = await outputsOn(device, op, i).catch((error: Error) => {
      if (float16 && /does not compute in float16/.test(error.message)) return null
      throw error
    })
    if (found === null) {
      console.log(JSON.stringify({ op, case: title ?? i, lacks: 'float16', isWithin: true }))
      continue
    }
    for (const name of Object.keys(expected)) {
      const difference = apart(expected[name], found[name])
      console.log(JSON.stringify({ op, case: title ?? i, output: name, difference, isWithin: difference <= tolerance }))
    }
  }
}
