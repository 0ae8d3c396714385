/** Contents of a round's page: votes of one shard, and one problem with a page of the solvers that tried it. */
export interface RoundView {
  shard: number
  /** Hash of the problem; empty for any. */
  task: string
  /** From 1. */
  page: number
}

/** Address of a round's page. What a view does not name is the first. */
export function roundHref(round: number, { shard = 0, task = '', page = 1 }: Partial<RoundView>): string {
  const query = new URLSearchParams()
  if (shard > 0) query.set('shard', `${shard}`)
  if (task !== '') query.set('task', task)
  if (page > 1) query.set('page', `${page}`)
  return `/rounds/${round}${query.size > 0 ? `?${query}` : ''}`
}
