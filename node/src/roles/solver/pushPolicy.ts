import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatError } from '#base/errors.ts'
import type { Hex } from '#core/hex.ts'
import { readBaseHash } from '#environments/paidBase.ts'
import type { HubClient } from '#hub/hubClient.ts'
import { isPublished, pushModel } from '#hub/pushModel.ts'
import type { PeerNode } from '../peerNode.ts'
import { provenanceOf, readCanaryPoints } from './provenance.ts'

export type PushSettings = {
  client: HubClient
  /** OWNER/NAME on the hub. */
  repo: string
  /** Rounds from one push to the next. */
  every: number
  /** OWNER/NAME of the model that is trained; null if that is not a model of the hub. */
  baseModel: string | null
  /** Name of the deployment, for the command that audits it. */
  network: string
}

/** Folder of the copy to push, in the peer's folder: the policy continues to learn meanwhile. */
const COPY_FOLDER = 'pushing'
const PUSHED = 'pushed round'

export type PolicyPusher = {
  /** Pushes the policy, if a push is due. Resolves once the policy is copied; the upload continues in the background. */
  learned(round: number): Promise<void>
  /** Resolves once no upload is running. */
  settled(): Promise<void>
}

type PusherNode = Pick<PeerNode, 'journal' | 'logger' | 'identity' | 'environment'> & {
  chain: Pick<PeerNode['chain'], 'readPoints'>
}

/**
 * Publishes a solver's policy on the hub every few rounds, with a card about its origin. A failed push is tried again after the next round; no round
 * waits for it.
 *
 * @param data - the peer's folder.
 * @param policyFolder - where the policy is kept.
 */
export function createPusher(
  node: PusherNode,
  { client, repo, every, baseModel, network }: PushSettings,
  { data, policyFolder }: { data: string; policyFolder: string },
): PolicyPusher {
  const { journal, logger, identity, environment, chain } = node
  const folder = join(data, COPY_FOLDER)
  let uploading: Promise<void> | null = null
  let baseHash: Hex | null = null

  async function upload(round: number): Promise<void> {
    try {
      const { spec, hash, solverFolder } = environment
      baseHash ??= await readBaseHash(solverFolder)
      const pointsMilli = await chain.readPoints(identity.peerKey)
      const canary = readCanaryPoints(journal)
      const provenance = provenanceOf({
        ...{ network, environment: { name: spec.name, hash }, peer: identity },
        ...{ baseHash, round, pointsMilli, canary },
      })
      const options = { repo, isPrivate: false, summary: `Round ${round}`, baseModel, provenance }
      const { url } = await pushModel(client, folder, options)
      journal.setState(PUSHED, round)
      logger.info('policy pushed', { round, url })
    } catch (error) {
      logger.warn('policy not pushed; trying again after the next round', { round, reason: formatError(error) })
    }
  }

  return {
    async learned(round) {
      const last = journal.getState(PUSHED)
      // The first push comes after this many rounds of learning; a restart continues the count.
      if (last === undefined) journal.setState(PUSHED, round)
      if (uploading !== null || round - Number(last ?? round) < every) return
      try {
        await copyPolicy(policyFolder, folder)
      } catch (error) {
        return logger.warn('policy not copied to be pushed', { round, reason: formatError(error) })
      }
      uploading = upload(round).finally(() => {
        uploading = null
      })
    },
    async settled() {
      await uploading
    },
  }
}

async function copyPolicy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  for (const name of (await readdir(from)).filter(isPublished)) await cp(join(from, name), join(to, name))
}
