import { expect, test } from 'vitest'
import { Graph } from '../graph.ts'
import { encodeModel } from '../onnxModel.ts'
import { linear } from '../tensor.ts'
import { choose, type DeviceVerdict, gpuMemory } from './chooseDevice.ts'
import { gpusOfSmi, type Machine, usableMemory } from './describeMachine.ts'
import type { Device } from './device.ts'

const machine: Machine = {
  platform: 'linux-x64',
  cpu: 'x',
  cores: 8,
  instructionSets: [],
  memoryBytes: 64e9,
  gpus: [],
}
const working = (...names: Device[]): DeviceVerdict[] =>
  (['cpu', 'webgpu', 'cuda'] as const).map(device => {
    const isAvailable = names.includes(device)
    const reason = isAvailable ? null : 'no'
    return { device, isAvailable, reason, float16Reason: reason, adapter: null }
  })
const card = (gigabytes: number) => ({ ...machine, gpus: [{ name: 'card', memoryBytes: gigabytes * 1e9 }] })

test('A GPU goes before the CPU, CUDA before WebGPU, and an adapter in software is not taken.', () => {
  expect(choose(card(24), working('cpu', 'webgpu', 'cuda')).chosen).toBe('cuda')
  expect(choose(card(24), working('cpu', 'webgpu')).chosen).toBe('webgpu')
  expect(choose(machine, working('cpu', 'webgpu')).chosen).toBe('cpu')
  expect(choose(card(24), working('cpu')).chosen).toBe('cpu')
  expect(choose({ ...machine, platform: 'darwin-arm64' }, working('cpu', 'webgpu')).chosen).toBe('webgpu')
})

const onAdapter = (name: string, isSoftware: boolean) =>
  working('cpu', 'webgpu').map(verdict =>
    verdict.device === 'webgpu' ? { ...verdict, adapter: { name, isSoftware } } : verdict,
  )

test('An adapter in software is not taken for a card that the machine lists.', () => {
  expect(choose(card(24), onAdapter('llvmpipe', true)).chosen).toBe('cpu')
  expect(choose(card(24), onAdapter('NVIDIA H200', false)).chosen).toBe('webgpu')
})

test('A GPU that Vulkan names is taken where no card is listed, and a renderer in software is not.', () => {
  expect(choose(machine, onAdapter('NVIDIA H200', false))).toEqual({ chosen: 'webgpu', pool: 'small' })
  expect(choose(machine, onAdapter('SwiftShader Device', true)).chosen).toBe('cpu')
})

test('From 40 GB of the chosen device’s memory on the pool is the large one.', () => {
  expect(choose(card(80), working('cpu', 'cuda')).pool).toBe('large')
  expect(choose(card(24), working('cpu', 'cuda')).pool).toBe('small')
  expect(choose(machine, working('cpu')).pool).toBe('large')
  expect(choose({ ...machine, memoryBytes: 16e9 }, working('cpu')).pool).toBe('small')
})

test('A GPU has its own memory, that of the largest, unless it is unknown or the machine’s.', () => {
  const gpus = [6e9, null, 24e9].map(memoryBytes => ({ name: 'card', memoryBytes }))
  expect(gpuMemory({ ...machine, gpus }, 'cuda')).toBe(24e9)
  expect(gpuMemory({ ...machine, gpus }, 'cpu')).toBeNull()
  expect(gpuMemory({ ...machine, gpus, platform: 'darwin-arm64' }, 'webgpu')).toBeNull()
  expect(gpuMemory(machine, 'webgpu')).toBeNull()
})

test('nvidia-smi counts with what it lists before an error, and not with its messages.', () => {
  const lost = 'NVIDIA H200, 143771\nUnable to determine the device handle for GPU1: 0000:1B:00.0: Unknown Error\n'
  expect(gpusOfSmi(lost)).toEqual([{ name: 'NVIDIA H200', memoryBytes: 143771 * 2 ** 20 }])
  expect(gpusOfSmi('NVIDIA GB10, [N/A]\r\n')).toEqual([{ name: 'NVIDIA GB10', memoryBytes: null }])
  expect(gpusOfSmi("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")).toEqual([])
  expect(gpusOfSmi('No devices were found\n')).toEqual([])
})

test('A container’s limit counts, and not the memory of the machine around it.', () => {
  expect(usableMemory(64e9, 16e9)).toBe(16e9)
  expect(usableMemory(64e9, 2 ** 64)).toBe(64e9)
  expect(usableMemory(64e9, 0)).toBe(64e9)
})

test('A graph is written with the kernels of its device, which its hash tells.', () => {
  const graph = new Graph()
  const y = linear(graph.input('x', 'f32', ['B', 'T', 2]), graph.input('w', 'f32', [3, 2]))
  const [cpu, gpu] = [encodeModel({ y }), encodeModel({ y }, [], 'webgpu')]
  const text = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString('latin1')
  expect(text(cpu)).toContain('FusedMatMul')
  expect(text(gpu)).not.toContain('FusedMatMul')
  expect(text(gpu)).toContain('Gemm')
  expect(gpu.hash).not.toBe(cpu.hash)
})
