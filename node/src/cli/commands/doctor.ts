import { knownNetworks } from '@waggle/deployments/networks'
import { systemClock } from '#core/clock.ts'
import type { Device } from '#model/devices.ts'
import { ModelFileError } from '#model/modelErrors.ts'
import { openIdentity } from '#store/identity.ts'
import { defineCommand } from '../defineCommand.ts'
import { checkDevice } from '../doctor/checkDevice.ts'
import { checkComputer, checkDisk, checkKeys, checkNode, checkPorts, isPeerRunning } from '../doctor/checkMachine.ts'
import { checkReachability, checkRelease } from '../doctor/checkPeer.ts'
import { checkSystem, describeSystem } from '../doctor/checkSystem.ts'
import { type Finding, failure } from '../doctor/finding.ts'
import { readSpec } from '../models/chatModels.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { peerSettings } from '../options/settings.ts'
import { UsageError } from '../usageError.ts'

/** Overrides for the folder's settings. */
const {
  listen,
  bootnodes,
  sponsor,
  role,
  environment,
  model,
  bases,
  proposer,
  judge,
  lora,
  'lora-base': loraBase,
  device,
  appeals,
  bets,
} = peerSettings
const models = { role, environment, model, bases, proposer, judge, lora, 'lora-base': loraBase, device, appeals, bets }

/** Reports problems that would prevent a peer from working, before it is started or while it runs. */
export const doctor = defineCommand({
  usage: 'npx waggle doctor [OPTIONS]',
  about:
    "Checks release, Node, operating system, processor, memory, device, disk, keys, ports, how other networks reach the running peer, the chain, the clock, funds and bootnodes, and suggests a fix for each problem. For an environment of chat models it also prints which base models it pays, what each role would run with on this machine, and whether its memory and its GPU's are enough. Sends nothing. Exit code 1 if a check fails. Options override the folder's settings, as they do for start.",
  own: jsonOption,
  peer: { ...peerOnChain, listen, bootnodes, sponsor, ...models },
  async run({ json }, _, flags) {
    const config = loadConfig(flags)
    const findings = [...(await checkHere(config)), ...(await checkThere(config))]
    const hasFailed = findings.some(({ state }) => state === 'failure')
    if (json) console.log(JSON.stringify({ ok: !hasFailed, findings }))
    else for (const finding of findings) console.log(lineOf(finding))
    if (hasFailed) process.exitCode = 1
  },
})

async function checkHere(config: Config): Promise<Finding[]> {
  const { data, device: wanted, environment: file, listen, 'keep-mb': keepMb } = config
  const { finding: ofDevice, device } = await checkDevice(wanted, file !== undefined)
  return [
    checkRelease(data),
    checkNode(process.versions.node, process.execPath),
    ...checkSystem(await describeSystem(data)),
    ...(await checkComputer()),
    ofDevice,
    await checkDisk(data, keepMb * 2 ** 20),
    checkKeys(data),
    await checkPorts(listen, isPeerRunning(data)),
    checkReachability(data, systemClock.nowMs(), isOfLocalChain(config)),
    ...(await checkModels(config, device ?? 'cpu')),
  ]
}

/** A deployment that cannot be read is reported with the chain. */
function isOfLocalChain(config: Config): boolean {
  try {
    return openDeployment(config).deployment.chainId === knownNetworks.local.chainId
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

/** Nothing to check for the starter models, which come with the code. */
async function checkModels(config: Config, device: Device): Promise<Finding[]> {
  const { data, environment: file, role, model, bases: others, proposer, judge, lora, 'lora-base': loraBase } = config
  const { appeals, bets } = config
  if (file === undefined || role === 'gateway' || role === 'judge') return []
  const spec = await readSpec(file)
  // The model library takes half a second to load.
  const { checkBases, checkModelMemory, checkPools } = await import('../doctor/checkModel.ts')
  const { likelyJudgeParameters } = await import('../join/modelParameters.ts')
  const asked = { role, model, bases: others, proposer, judge, lora, loraBase, appeals, bets }
  const bases = await checkBases(spec, asked).catch(unreadableModel)
  // A running peer has already allocated its memory.
  if (isPeerRunning(data)) return [bases]
  const { readMachineMemory } = await import('../join/machineMemory.ts')
  const memory = await readMachineMemory(device)
  const pools = await likelyJudgeParameters(spec, judge, role)
    .then(judgeParameters => checkPools({ ...memory, judgeParameters }, config.device))
    .catch(unreadableModel)
  return [bases, pools, await checkModelMemory(spec, asked, memory).catch(unreadableModel)]
}

/** A folder or file of a model that cannot be read, or a judge that cannot be served, hides no other finding. */
function unreadableModel(error: unknown): Finding {
  if (error instanceof ModelFileError || error instanceof UsageError) return failure('model', error.message, error.hint)
  throw error
}

async function checkThere(config: Config): Promise<Finding[]> {
  try {
    const opened = openDeployment(config)
    // The chain's libraries take half a second to load.
    const { checkChain } = await import('../doctor/checkChain.ts')
    const hasKeys = checkKeys(config.data).state === 'ok'
    const identity = hasKeys ? await openIdentity(config.data) : null
    const { sponsor, bootnodes, role } = config
    const found = await checkChain({ ...opened, bootnodes, sponsor, role, nowSec: Date.now() / 1000 }, identity)
    if (sponsor === undefined) return found
    const { checkSponsor } = await import('../doctor/checkChain.ts')
    return [...found, await checkSponsor(sponsor, identity?.peerKey ?? null)]
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [failure('deployment', error.message, error.hint)]
  }
}

const marks = { ok: 'ok     ', warning: 'warning', failure: 'FAILED ' }

function lineOf({ check, state, found, advice }: Finding): string {
  const line = `${marks[state]}  ${check.padEnd(10)}  ${found}`
  return advice === undefined ? line : `${line}\n${' '.repeat(21)}${advice}`
}
