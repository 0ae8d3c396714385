import { type DeviceTensor, firstRows } from '#engine/devices/deviceTensor.ts'

/** One array on a device whose first rows are lent: sequences end one by one, and an array for each number of them would take memory without need. */
export class DeviceRows {
  #array: DeviceTensor | undefined
  readonly #zeros: (rows: number) => Promise<DeviceTensor>

  constructor(zeros: (rows: number) => Promise<DeviceTensor>) {
    this.#zeros = zeros
  }

  /** A view of the first rows, valid until more rows are asked for, which replaces the array. */
  async first(rows: number): Promise<DeviceTensor> {
    if (rows > (this.#array?.shape[0] ?? 0)) {
      this.dispose()
      this.#array = await this.#zeros(rows)
    }
    return firstRows(this.#array as DeviceTensor, rows)
  }

  dispose(): void {
    this.#array?.dispose()
    this.#array = undefined
  }
}
