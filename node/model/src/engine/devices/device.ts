/** Devices that run graphs: ONNX Runtime's CPU kernels, a GPU by WebGPU (Vulkan, Metal, Direct3D), or an NVIDIA GPU by CUDA. */
export const devices = ['cpu', 'webgpu', 'cuda'] as const
export type Device = (typeof devices)[number]

/**
 * ONNX Runtime's execution providers for a device, first choice first. The CPU is the fallback of each GPU, for ops without a GPU kernel: shapes and
 * other small integers.
 */
export const executionProviders: Readonly<Record<Device, readonly string[]>> = {
  cpu: ['cpu'],
  webgpu: ['webgpu', 'cpu'],
  cuda: ['cuda', 'cpu'],
}

/** Whether results of a run can stay in the device's memory and be fed to the next: ONNX Runtime's Node binding supports this for WebGPU only. */
export const keepsTensors = (device: Device): boolean => device === 'webgpu'
