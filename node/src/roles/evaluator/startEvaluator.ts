import { showDemanded } from '../duties/showDemanded.ts'
import { openJudge } from '../models/openModels.ts'
import { requirePaidBase } from '../models/paidBaseHere.ts'
import type { PeerNode } from '../peerNode.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { runEvaluator } from './evaluator.ts'
import { judgeDisputes } from './judgeDisputes.ts'

/** Opens the judge model and runs an evaluator's duties: it votes, judges disputed games, and shows what others withhold. */
export async function startEvaluator(node: PeerNode, options: RoleOptions): Promise<void> {
  await requirePaidBase(node.environment)
  const { close, ...models } = await openJudge(node.environment, workerOf(node, options))
  const { demands, appeals: maxAppeals } = options.settings
  const duties = [
    runEvaluator(node, models, { demands, maxAppeals }),
    judgeDisputes(node, options.data),
    showDemanded(node, 'others'),
  ]
  await Promise.all(duties).finally(close)
}
