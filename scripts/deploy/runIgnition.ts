import { errorDeploymentResultToExceptionMessage } from '@nomicfoundation/hardhat-ignition/helpers'
import { type ArtifactResolver, DeploymentResultType, deploy } from '@nomicfoundation/ignition-core'
import type { NetworkConnection } from 'hardhat/types/network'
import { DeployError } from './deployError.ts'
import type { NetworkPreset } from './networks.ts'
import type { DeployParameters } from './parameters.ts'
import { protocolModule } from './protocolModule.ts'

interface IgnitionRun {
  /** ABI and bytecode of each contract, by name. */
  readonly artifacts: ArtifactResolver
  readonly connection: NetworkConnection
  readonly preset: NetworkPreset
  readonly journalDir: string
  readonly account: `0x${string}`
  readonly parameters: DeployParameters
}

/**
 * Lets Ignition send what its journal says is not sent yet, and wait until all of it is mined.
 *
 * @throws {DeployError} DEPLOYMENT_FAILED with Ignition's own reason.
 */
export async function runIgnition(run: IgnitionRun): Promise<void> {
  const { artifacts, connection, preset, journalDir, account, parameters } = run
  const result = await deploy({
    config: { requiredConfirmations: preset.confirmations, blockPollingInterval: preset.blockPollingMs },
    provider: connection.provider,
    deploymentDir: journalDir,
    artifactResolver: artifacts,
    ignitionModule: protocolModule(parameters, preset),
    deploymentParameters: {},
    accounts: [account],
    defaultSender: account,
  }).catch(cause => {
    throw failure(cause instanceof Error ? cause.message : String(cause), journalDir, cause)
  })
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw failure(errorDeploymentResultToExceptionMessage(result), journalDir)
  }
}

function failure(reason: string, journalDir: string, cause?: unknown): DeployError {
  const hint = `run it again once that is fixed: contracts that ${journalDir} records are not deployed again`
  return new DeployError('DEPLOYMENT_FAILED', reason.replaceAll(/\s*\n\s*/g, ' ').trim(), hint, cause)
}
