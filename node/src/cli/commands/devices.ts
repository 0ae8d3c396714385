import type { Device, DeviceReport } from '#model/devices.ts'
import { defineCommand } from '../defineCommand.ts'
import { openLocalModel } from '../options/modelOptions.ts'
import { jsonOption, textOption } from '../options/optionKinds.ts'

type Counts = Readonly<Record<string, number>>

const total = (counts: Counts) => Object.values(counts).reduce((a, b) => a + b, 0)

const listed = (counts: Counts) =>
  total(counts) === 0
    ? 'none'
    : `${total(counts)}: ${Object.entries(counts)
        .map(entry => entry.join(' '))
        .join(', ')}`

function verdictLine(verdict: DeviceReport['devices'][number], chosen: Device): string {
  const { device, isAvailable, reason, float16Reason, adapter } = verdict
  const name = device.padEnd(7)
  if (!isAvailable) return `${name} not available: ${reason}`
  const on = adapter === null ? '' : ` on ${adapter.name}`
  const software = adapter?.isSoftware ? ', in software: --device auto does not take it' : ''
  const auto = device === chosen ? '; --device auto takes it' : software
  const float16 = device === 'cpu' ? '' : `; float16: ${float16Reason ?? 'yes'}`
  return `${name} works${on}${auto}${float16}`
}

/** The operations of a model's programs that each GPU runs, and those that run on the CPU. */
async function placementsOf(folder: string, { devices }: DeviceReport) {
  const { readDecoderConfig } = await import('#model/decoder/decoderConfig.ts')
  const { reportPlacements } = await import('#rl/device/reportPlacements.ts')
  const config = await readDecoderConfig(folder)
  const found = []
  for (const { device, isAvailable } of devices)
    if (device !== 'cpu' && isAvailable)
      for (const [program, placements] of await reportPlacements(config, device))
        found.push({ device, program, ...placements })
  return found
}

const own = {
  model: textOption(
    'DIR',
    "a folder or a GGUF file: time the 8-bit kernels on this model's shapes instead of Qwen2.5-0.5B's, and list for each GPU which operations of this model have no kernel there and run on the CPU",
  ),
  ...jsonOption,
}

/** Lists the devices of this machine. */
export const devicesCommand = defineCommand({
  usage: 'npx waggle devices [--model DIR] [--json]',
  about:
    'Prints the hardware, which devices can run models (and on which adapter), which of them start --device auto uses, and why the others cannot be used. Each device is tried with a small matrix product in its own process.',
  own,
  async run({ model, json }) {
    const { reportDevices, reportIntegerKernels } = await import('#model/devices.ts')
    const report = await reportDevices()
    const folder = model !== undefined ? await openLocalModel(model, {}) : undefined
    const { integerKernels, integerReason } = await reportIntegerKernels(folder)
    const placements = folder === undefined ? [] : await placementsOf(folder, report)
    if (json) return console.log(JSON.stringify({ ...report, integerKernels, integerReason, placements }))
    const { machine, devices, chosen, pool } = report
    const gigabytes = (bytes: number | null) => (bytes === null ? 'memory unknown' : `${(bytes / 1e9).toFixed(1)} GB`)
    console.log(`${machine.cpu}, ${machine.cores} cores, ${gigabytes(machine.memoryBytes)}, ${machine.platform}`)
    if (machine.instructionSets.length > 0) console.log(`instruction sets: ${machine.instructionSets.join(' ')}`)
    for (const { name, memoryBytes } of machine.gpus) console.log(`GPU: ${name}, ${gigabytes(memoryBytes)}`)
    for (const verdict of devices) console.log(verdictLine(verdict, chosen))
    if (integerKernels.length > 0)
      console.log(
        '8-bit products, by two kernels with bitwise identical results; separate is used if it is a tenth faster:',
      )
    for (const { shape, fusedMs, separateMs, isFused } of integerKernels)
      console.log(
        `  ${shape.join(' x ').padEnd(13)} fused ${fusedMs.toFixed(2)} ms, separate ${separateMs.toFixed(2)} ms: uses ${isFused ? 'fused' : 'separate'}`,
      )
    if (integerReason !== null) console.log(`8-bit models cannot run here: ${integerReason}`)
    for (const { device, program, onDevice, onCpu } of placements)
      console.log(`${device}, ${program}: ${total(onDevice)} nodes there, on the CPU ${listed(onCpu)}`)
    console.log(
      `as a peer of Gensyn's RL Swarm it would take models of the ${pool} pool (large from 40 GB on); npx waggle join chooses by free memory`,
    )
  },
})
