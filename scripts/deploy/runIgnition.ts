import { errorDeploymentResultToExceptionMessage } from '@nomicfoundation/hardhat-ignition/helpers'
import {
  type ArtifactResolver,
  DeploymentResultType,
  deploy,
  type ExecutionEventListener,
} from '@nomicfoundation/ignition-core'
import type { NetworkConnection } from 'hardhat/types/network'
import { boundedFees } from './boundedFees.ts'
import type { ChainReader } from './chain.ts'
import { DeployError } from './deployError.ts'
import type { NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'
import { protocolModule } from './protocolModule.ts'
import { watchBlocks } from './watchBlocks.ts'

interface IgnitionRun {
  /** ABI and bytecode of each contract, by name. */
  readonly artifacts: ArtifactResolver
  readonly connection: NetworkConnection
  readonly chain: ChainReader
  readonly preset: NetworkPreset
  readonly journalDir: string
  readonly account: `0x${string}`
  readonly parameters: DeployParameters
  readonly say: (line: string) => void
}

/**
 * Lets Ignition send what its journal says is not sent yet, and wait until all of it is mined.
 *
 * @throws {DeployError} DEPLOYMENT_FAILED with Ignition's own reason.
 */
export async function runIgnition(run: IgnitionRun): Promise<void> {
  const { artifacts, connection, chain, preset, journalDir, account, parameters, say } = run
  const fees = await boundedFees(chain)
  const deploying = deploy({
    config: { requiredConfirmations: preset.confirmations, blockPollingInterval: preset.blockPollingMs },
    provider: connection.provider,
    executionEventListener: confirmationsTo(say),
    deploymentDir: journalDir,
    artifactResolver: artifacts,
    ignitionModule: protocolModule(parameters, preset),
    deploymentParameters: {},
    accounts: [account],
    defaultSender: account,
    ...fees,
  })
  const result = await watchBlocks(run, deploying).catch(cause => {
    throw failure(cause instanceof Error ? cause.message : String(cause), journalDir, cause)
  })
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw failure(errorDeploymentResultToExceptionMessage(result), journalDir)
  }
}

/** A line for each step that is confirmed. Ignition calls a method for every kind of event. */
function confirmationsTo(say: (line: string) => void): ExecutionEventListener {
  const transactionConfirm = async ({ futureId }: { futureId: string }) =>
    say(`  ${futureId.split('#').at(-1)} confirmed`)
  const others = async () => {}
  return new Proxy({} as ExecutionEventListener, {
    get: (_, event) => (event === 'transactionConfirm' ? transactionConfirm : others),
  })
}

function failure(reason: string, journalDir: string, cause?: unknown): DeployError {
  const hint = `run it again once that is fixed: contracts that ${journalDir} records are not deployed again`
  return new DeployError('DEPLOYMENT_FAILED', reason.replaceAll(/\s*\n\s*/g, ' ').trim(), hint, cause)
}
