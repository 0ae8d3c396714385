/**
 * Loaded before a solver's own code (`--import`): in some rounds it commits to answers with invented log-probabilities, or to bytes that
 * are not rollouts. Otherwise it is an honest solver.
 */
import type { PayloadOperations, RolloutBundle } from '../../node/src/core/payloads/payloads.ts'
import { liesHere } from './lies.ts'
import { patchSource } from './patchSource.ts'

/** Log-probability that no token of a policy has that was sampled by it. */
const INVENTED = -12

type Sealed = ReturnType<typeof seal>
const seal = (payloads: Pick<PayloadOperations, 'seal'>, bundle: RolloutBundle) => payloads.seal('rollouts', bundle)

/** The rollouts that this process commits to. */
export async function sealAnswers(payloads: Pick<PayloadOperations, 'seal'>, bundle: RolloutBundle): Sealed {
  if (liesHere('sampling', bundle.round)) return seal(payloads, invented(bundle))
  const sealed = await seal(payloads, bundle)
  if (!liesHere('payload', bundle.round)) return sealed
  return { ...sealed, bytes: new TextEncoder().encode(`no rollouts of round ${bundle.round}`) }
}

function invented(bundle: RolloutBundle): RolloutBundle {
  const inventedOf = (logprobs: Uint8Array) =>
    new Uint8Array(new Float32Array(logprobs.byteLength / 4).fill(INVENTED).buffer)
  return {
    ...bundle,
    groups: bundle.groups.map(group => ({
      ...group,
      rollouts: group.rollouts.map(one => ({ ...one, logprobs: inventedOf(one.logprobs) })),
    })),
  }
}

patchSource('/roles/solver/answerRound.ts', {
  from: "await node.payloads.seal('rollouts', bundle)",
  to: 'await sealAnswers(node.payloads, bundle)',
  append: `
import { sealAnswers } from ${JSON.stringify(import.meta.url)}
`,
})
