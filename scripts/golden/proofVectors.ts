/**
 * Golden leaves of the proof of sampling: `node scripts/golden/proofVectors.ts`.
 *
 * They are completions of the committed starter under each tested policy, as this machine samples them, with the times of their tokens in
 * the races that drew them. A check on another machine, with other threads or in another batch must confirm them.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tokenRaces } from '../../node/model/src/model/index.ts'
import { SEED, sampleLeaves } from '../bench/proof/leaves.ts'
import { MOVED, starterPolicies, starterPrompts } from '../bench/proof/policies.ts'

const LEAVES = 4

const races = tokenRaces(SEED)
const sampling = await starterPrompts()
const policies = await starterPolicies(MOVED)
const vectors = []
for (const policy of policies) {
  const generator = await policy.generator(1)
  const leaves = (await sampleLeaves(generator, sampling, 1)).slice(0, LEAVES)
  await generator.dispose()
  vectors.push({
    policy: policy.name,
    leaves: leaves.map(leaf => ({
      prompt: [...leaf.prompt],
      place: leaf.place,
      tokens: [...leaf.tokens],
      logprobs: [...leaf.logprobs],
      times: [...leaf.tokens].map((token, step) => races({ ...leaf.place, step }).time(token)),
    })),
  })
}
const path = join(import.meta.dirname, '../../node/model/src/model/golden/proof.json')
await writeFile(path, `${JSON.stringify({ temperature: sampling.temperature, vectors })}\n`)
