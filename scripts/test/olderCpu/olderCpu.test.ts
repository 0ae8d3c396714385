import { expect, test } from 'vitest'
import { cpuidOffsets, withoutFlags } from './olderCpu.ts'

test('an older CPU shows no flags of what it lacks', () => {
  const cpuinfo =
    'model name\t: A CPU with avx512_vnni\nflags\t\t: fpu avx2 avx512f avx512_vnni amx_int8 avx_vnni aes\n'
  expect(withoutFlags(cpuinfo, 'avx512')).toBe(
    'model name\t: A CPU with avx512_vnni\nflags\t\t: fpu avx2 avx512f aes\n',
  )
  expect(withoutFlags(cpuinfo, 'avx2')).toContain('flags\t\t: fpu avx2 aes\n')
})

test('instructions are found by their places in the file', () => {
  const sections = ' 12 .text  0177eb68  0000000000b8b5c0  0000000000b8a5c0  00b8a5c0  2**6\n'
  const listing = '  b8d5ea:\t0f a2                \tcpuid\n 16aba0e:\t0f a2                \tcpuid\n'
  expect(cpuidOffsets(listing, sections)).toEqual([0xb8c5ea, 0x16aaa0e])
  expect(() => cpuidOffsets('', sections)).toThrow('objdump lists no cpuid')
})
