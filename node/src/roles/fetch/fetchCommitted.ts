import type { RepeatedTask } from '#chain/challengeTasks.ts'
import type { RolloutCommitment, TaskCommitment } from '#chain/readCommitments.ts'
import type { RolloutBundle } from '#core/bodies.ts'
import type { Bodies, OpenedBody } from '#core/bodyOperations.ts'
import { type AdmittedTask, admitBundle } from '../admitTasks.ts'
import { findRepeatedTask } from '../findRepeatedTask.ts'
import type { PeerNode } from '../peerNode.ts'
import type { Visited } from './fetchPlan.ts'
import { type Commitment, openCommitted } from './openCommitted.ts'
import { type PeerResult, peerFault } from './peerResult.ts'

/** Does `work` on each body that is what its peer committed; a result for each commitment, in their order. */
function visitCommitted<Kind extends 'tasks' | 'rollouts', Of extends Commitment, T>(
  node: PeerNode,
  kind: Kind,
  round: number,
  commitments: readonly Of[],
  signal: AbortSignal,
  work: (opened: OpenedBody<Bodies[Kind]>, commitment: Of) => Promise<T> | T,
): Promise<Visited<Of, T>[]> {
  const { bodies, chainId, fetchPlan } = node
  const wanted = commitments.map(commitment => ({ ...commitment, kind, round }))
  return fetchPlan.visit(wanted, signal, async (bytes, commitment) => {
    const opened = await openCommitted(bodies, kind, bytes, { chainId, round }, commitment)
    if (opened === 'malformed') return peerFault(opened, `no body of ${kind}`)
    if (opened === 'another') return peerFault(opened, 'not what its peer committed')
    return { ok: true, value: await work(opened, commitment) }
  })
}

/** What a proposer's bundle gives: the tasks that may be solved, and one that stands in it twice, if any does. */
export type FetchedTasks = { admitted: AdmittedTask[]; repeated: RepeatedTask | null }

/** Every task bundle that was committed for a round and can be had, by proposer. */
export async function fetchTasks(node: PeerNode, round: number, signal: AbortSignal): Promise<FetchedTasks[]> {
  const commitments = await node.chain.readTaskCommitments(round)
  const inOrder = [...commitments].sort((a, b) => (a.peerKey < b.peerKey ? -1 : 1))
  const open = async ({ body: bundle, tree }: OpenedBody<Bodies['tasks']>, { contentId }: TaskCommitment) => {
    const tasks = { bundle, tree, contentId }
    return { admitted: await admitBundle(tasks, node.environment), repeated: findRepeatedTask(tasks) }
  }
  const visited = await visitCommitted(node, 'tasks', round, inOrder, signal, open)
  return visited.flatMap(({ result }) => (result.ok ? [result.value] : []))
}

/** Does `work`, which only computes, on the rollouts behind each commitment. */
export function fetchRollouts<T>(
  node: PeerNode,
  round: number,
  commitments: readonly RolloutCommitment[],
  signal: AbortSignal,
  work: (opened: OpenedBody<RolloutBundle>, commitment: RolloutCommitment) => Promise<T> | T,
): Promise<Visited<RolloutCommitment, T>[]> {
  return visitCommitted(node, 'rollouts', round, commitments, signal, work)
}

/** As {@link fetchRollouts}, of one peer. */
export async function fetchRolloutsOf<T>(
  node: PeerNode,
  round: number,
  commitment: RolloutCommitment,
  signal: AbortSignal,
  work: (opened: OpenedBody<RolloutBundle>) => Promise<T> | T,
): Promise<PeerResult<T>> {
  const [visited] = await fetchRollouts(node, round, [commitment], signal, work)
  return visited?.result ?? peerFault('unavailable', 'it was not asked for')
}
