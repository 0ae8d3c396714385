import type { Device } from './device.ts'

/** Bytes that runs copied to devices and back. Constants of programs, which go there when a session is made, are not counted. */
export interface Crossings {
  readonly toDevice: number
  readonly fromDevice: number
}

const crossed = { toDevice: 0, fromDevice: 0 }

/** Since this process began. */
export const crossings = (): Crossings => ({ ...crossed })

/** Counts bytes that a run copies between this process's memory and the device. */
export function countCrossing(device: Device, way: keyof Crossings, data: ArrayBufferView): void {
  if (device !== 'cpu') crossed[way] += data.byteLength
}
