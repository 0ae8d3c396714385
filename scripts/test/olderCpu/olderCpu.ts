const levels = {
  /** Skylake-X: AVX-512 without VNNI. */
  avx512: /^(avx512_vnni|avx_vnni|amx_\w+)$/,
  /** Haswell, and Zen 3. */
  avx2: /^(avx512\w*|avx_vnni|amx_\w+)$/,
}

type Level = keyof typeof levels

export const isLevel = (text: string): text is Level => Object.hasOwn(levels, text)

/** Contents of `/proc/cpuinfo`, without the flags that a CPU of the level lacks. */
export function withoutFlags(cpuinfo: string, level: Level): string {
  return cpuinfo.replace(/^flags\s*:.*$/gm, line =>
    line
      .split(' ')
      .filter(word => !levels[level].test(word))
      .join(' '),
  )
}

/**
 * Where a file has the instruction `cpuid`.
 *
 * @param listing - lines of `objdump -d`, with addresses.
 * @param sections - what `objdump -h` says of the section.
 */
export function cpuidOffsets(listing: string, sections: string): number[] {
  const [, address = '', offset = ''] = /\.text\s+\w+\s+(\w+)\s+\w+\s+(\w+)/.exec(sections) ?? []
  const shift = Number.parseInt(offset, 16) - Number.parseInt(address, 16)
  const found = [...listing.matchAll(/^\s*([0-9a-f]+):\s+0f a2\s+cpuid/gm)]
  if (found.length === 0 || Number.isNaN(shift)) throw new Error('objdump lists no cpuid')
  return found.map(([, at = '']) => Number.parseInt(at, 16) + shift)
}
