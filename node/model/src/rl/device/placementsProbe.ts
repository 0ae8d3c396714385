import { writeSync } from 'node:fs'
import { placementsMark } from '#engine/devices/placements.ts'
import { createSession } from '#engine/session.ts'
import { devicePrograms } from './devicePrograms.ts'

// Runs in its own process, started by `reportPlacements`: makes a session of every program for a device and runs none. The runtime's log of them
// goes to stderr, which native code writes to as well.
const { config, device } = JSON.parse(process.argv[2] ?? '')
for (const [name, model] of await devicePrograms(config, device)) {
  writeSync(2, placementsMark(name))
  const session = await createSession(model, { threads: 1, isVerbose: true, sumsInProducts: false })
  await session.dispose()
}
