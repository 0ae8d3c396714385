import type { Feed, Places, Tensor } from '#engine/session.ts'

/**
 * Keys and values of rows in generation, on the CPU (`KvCache`) or in the memory of a device (`DeviceCache`). Rows are the first ones, without
 * gaps.
 */
export interface RowCache {
  /** Outputs of the generation graph that a run over the first rows gives to `append`, or writes where they are to be. */
  places(rows: number): Places
  /** Takes the memory of all rows, where it does not grow. @throws {SessionMemoryError} if there is too little; then the cache is as it was. */
  open(): Promise<void>
  /** Makes space for `positions` in every row. */
  reserve(positions: number): void
  /**
   * What the cache feeds to a run of the generation graph, over its first rows.
   *
   * @param filled - positions of each row.
   * @param newTokens - of each row in the run.
   */
  feeds(filled: readonly number[], newTokens: number): Promise<Readonly<Record<string, Feed>>>
  /**
   * Stores what a run over the first rows gave, unless it wrote that itself.
   *
   * @param filled - positions of each row before the run.
   * @param counts - how many of the run's new tokens each row keeps, from the first.
   */
  append(given: Readonly<Record<string, Tensor>>, filled: readonly number[], counts: readonly number[]): void
  /**
   * Takes rows of another cache over as new ones.
   *
   * @param rows - of the other, one for each new row; the same row as often as there are copies of it.
   * @param first - index of the first new row.
   * @param filled - positions of each of the other's rows.
   */
  adopt(other: this, rows: readonly number[], first: number, filled: readonly number[]): Promise<void>
  /**
   * Keeps some rows.
   *
   * @param order - for each row to be, the row that it is now. A row that changes its place comes from behind the last of them.
   * @param filled - positions of each row to be.
   */
  keep(order: readonly number[], filled: readonly number[]): Promise<void>
  dispose(): void
}
