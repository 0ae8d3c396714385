/** How many nodes of each ONNX op run on the device that a program was encoded for, and how many on the CPU behind it. */
export interface Placements {
  readonly onDevice: Readonly<Record<string, number>>
  readonly onCpu: Readonly<Record<string, number>>
}

/** Prefix of the line on stderr before a program's log. */
const MARK = '=== placements of '

/** A line for stderr before a session is made, for `readPlacements` to tell the sessions apart. */
export const placementsMark = (program: string) => `\n${MARK}${program}\n`

/**
 * Parses node placements from ONNX Runtime's session log, by the program's name.
 *
 * @param log - of sessions made verbosely, with a `placementsMark` before each.
 */
export function readPlacements(log: string): Map<string, Placements> {
  const programs = new Map<string, { onDevice: Record<string, number>; onCpu: Record<string, number> }>()
  for (const section of log.split(MARK).slice(1)) {
    const placements = { onDevice: {} as Record<string, number>, onCpu: {} as Record<string, number> }
    programs.set(section.slice(0, section.indexOf('\n')), placements)
    let counts: Record<string, number> | undefined
    for (const line of section.split('\n')) {
      const [, provider, nodes] = /placed on \[(\w+)\]\. Number of nodes: (\d+)/.exec(line) ?? []
      if (provider) counts = provider === 'CPUExecutionProvider' ? placements.onCpu : placements.onDevice
      if (counts && line.includes('All nodes placed')) counts['*'] = Number(nodes)
      const [, op] = /VerifyEachNodeIsAssignedToAnEp\]\s+(\w+) \(/.exec(line) ?? []
      if (counts && op) counts[op] = (counts[op] ?? 0) + 1
    }
  }
  return programs
}
