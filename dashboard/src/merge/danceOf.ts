/** A waggle dance, drawn: a straight run that is waggled, and a loop back on either side. Lengths in a box of 48. */
interface Dance {
  angleDeg: number
  run: string
  loops: [left: string, right: string]
}

const CENTRE = 24
const TOP = 11
const BOTTOM = 37

/**
 * The dance of a peer, which never changes: direction, waggles and width of the loops come from its key.
 *
 * @param peerKey - 32 bytes, hexadecimal with 0x.
 */
export function danceOf(peerKey: string): Dance {
  const byte = (index: number) => Number.parseInt(peerKey.slice(2 + 2 * index, 4 + 2 * index), 16) || 0
  const waggles = 4 + (byte(1) % 4)
  const width = 15 + (byte(2) / 255) * 11
  const lean = ((byte(3) - 128) / 128) * 5
  const step = (BOTTOM - TOP) / (2 * waggles)
  const zigzag = Array.from({ length: 2 * waggles - 1 }, (_, index) => {
    const side = index % 2 === 0 ? 2.6 : -2.6
    return `L${CENTRE + side} ${round(BOTTOM - (index + 1) * step)}`
  })
  const loop = (side: 1 | -1) => {
    const x = CENTRE + side * width
    return `M${CENTRE} ${TOP}C${round(x)} ${round(TOP - 8 + side * lean)} ${round(x)} ${round(BOTTOM + 8 + side * lean)} ${CENTRE} ${BOTTOM}`
  }
  return {
    angleDeg: round((byte(0) / 256) * 360),
    run: `M${CENTRE} ${BOTTOM}${zigzag.join('')}L${CENTRE} ${TOP}`,
    loops: [loop(-1), loop(1)],
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
