export type Decoder = {
  /** The module that it is a part of, under `node/src` or `node/model/src`. */
  module: string
  /** Valid inputs, which hostile ones are made of. */
  seeds: readonly Uint8Array[]
  /**
   * Throws where the input is not handled as it should be.
   *
   * @returns whether the input was accepted.
   */
  run(bytes: Uint8Array): boolean | Promise<boolean>
}
