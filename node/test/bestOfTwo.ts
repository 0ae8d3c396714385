import { join } from 'node:path'
import { silentLogger } from '#core/logger.ts'
import { loadEnvironments } from '#environments/builtIn.ts'
import type { Completion } from '#model/generation/completion.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { openPolicy } from '#roles/models/openModels.ts'
import { openPeer } from '#roles/peerNode.ts'
import { POLICY_FOLDER, runSolver } from '#roles/solver/solver.ts'
import type { LivePeer, LiveSwarm } from './liveSwarm.ts'

/** A solver of the starter that answers each prompt twice, and commits the likelier answer as the one that its seed gives. */
export async function startBestOfTwo(swarm: LiveSwarm, { data }: LivePeer, bootnodes: readonly string[]) {
  const environment = (await loadEnvironments()).starter
  const end = new AbortController()
  const node = await openPeer({
    follows: false,
    ...{
      data,
      rpcUrl: swarm.chain.rpcUrl,
      deployment: swarm.deployment,
      clock: swarm.clock,
      networkClock: swarm.clock,
    },
    network: { listen: ['/ip4/127.0.0.1/tcp/0'], bootnodes: [...bootnodes] },
    ...{ environments: [environment], signal: end.signal },
    openLogger: () => silentLogger,
  })
  const policy = await openPolicy(environment, join(data, POLICY_FOLDER), { threads: 1, crashed: () => {} })
  const cheating: PolicyClient = {
    ...policy,
    async generate(request) {
      const [honest, others] = [await policy.generate(request), await policy.generate({ ...request, seed: 'another' })]
      return honest.map((one, at) => likelier(one, others[at] as Completion))
    },
  }
  const judge = await environment.openJudge(policy)
  const done = runSolver(node, cheating, judge, { data, trained: 'weights' })
  return {
    chain: node.chain,
    async stop() {
      end.abort()
      await done
      await policy.close()
      await node.close()
    },
  }
}

const likelihood = ({ logprobs }: Completion) => logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length
const likelier = (a: Completion, b: Completion) => (likelihood(b) > likelihood(a) ? b : a)
