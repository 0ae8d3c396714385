import type { Feed, Places, Tensor } from '#engine/session.ts'

/**
 * Keys and values of rows in generation, on the CPU (`KvCache`) or in the memory of a device (`DeviceCache`). Rows are the first ones, without
 * gaps.
 */
export interface RowCache {
  /** Outputs of the generation graph that a run over the first rows passes to `append`, or writes into the cache itself. */
  places(rows: number): Places
  /** Takes the memory of all rows, where it does not grow. @throws {SessionMemoryError} if there is too little; then the cache is as it was. */
  open(): Promise<void>
  /** Makes space for `positions` in every row. */
  reserve(positions: number): void
  /**
   * The cache's feeds for a run of the generation graph over its first rows.
   *
   * @param filled - positions of each row.
   * @param newTokens - of each row in the run.
   */
  feeds(filled: readonly number[], newTokens: number): Promise<Readonly<Record<string, Feed>>>
  /**
   * Stores the results of a run over the first rows, unless the run wrote them itself.
   *
   * @param filled - positions of each row before the run.
   * @param counts - how many of the run's new tokens each row keeps, from the first.
   */
  append(given: Readonly<Record<string, Tensor>>, filled: readonly number[], counts: readonly number[]): void
  /**
   * Copies rows of another cache as new rows.
   *
   * @param rows - rows of the other cache, one for each new row; repeat a row to copy it several times.
   * @param first - index of the first new row.
   * @param filled - positions of each of the other's rows.
   */
  adopt(other: this, rows: readonly number[], first: number, filled: readonly number[]): Promise<void>
  /**
   * Keeps some rows.
   *
   * @param order - the present index of each row to keep. A row that moves comes from behind the last kept place.
   * @param filled - positions of each kept row.
   */
  keep(order: readonly number[], filled: readonly number[]): Promise<void>
  dispose(): void
}
