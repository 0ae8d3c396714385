import type { Group } from '../measure/results.ts'
import type { BenchRow } from '../measure/row.ts'

/** The rows of each group that `npm run bench` measures. */
export const groupRows: Record<
  Exclude<Group, 'simulate' | 'chaos' | 'protocol' | 'experiments'>,
  () => Promise<{ rows: readonly BenchRow[] }>
> = {
  generate: () => import('./generate.ts'),
  train: () => import('./train.ts'),
  gas: () => import('./gas.ts'),
  gpu: () => import('./gpu.ts'),
  proof: () => import('./proof.ts'),
  loop: () => import('./loop.ts'),
  codezero: () => import('./codezero/rows.ts'),
  product: () => import('./product/rows.ts'),
  network: () => import('./network.ts'),
}
