import { writeFile } from 'node:fs/promises'
import { systemClock } from '#core/clock.ts'
import type { CommandAction } from '../command.ts'
import { defineCommand } from '../defineCommand.ts'
import { readSpec } from '../models/chatModels.ts'
import { knownAction, unknownWord } from '../nearest.ts'
import { ownerSettings } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { openOwned } from '../options/networkOptions.ts'
import { flag, jsonOption, numberOption, textOption } from '../options/optionKinds.ts'
import type { Action } from '../owner/action.ts'
import type { OwnerSession, Transaction } from '../owner/openOwner.ts'
import type { Caller } from '../owner/propose.ts'
import { showResult } from '../showResult.ts'
import { strangersText } from '../textStream.ts'
import { UsageError } from '../usageError.ts'

const verbs = [
  {
    name: 'show',
    text: "print who holds which role, the timelock's delay and funds, round, bootstrap, environment, bootnodes, and open proposals",
  },
  { name: 'list', text: 'print every proposal: what it does, decoded from its bytes, and when it can be executed' },
  {
    name: 'propose',
    arguments: 'ACTION',
    text: "simulate an action and propose it to the timelock; if the key's account holds the power itself, send it at once. Without ACTION: list the actions",
  },
  {
    name: 'execute',
    arguments: 'ID',
    text: 'execute a proposal after its delay; the first eight characters of ID are enough',
  },
  { name: 'cancel', arguments: 'ID', text: 'cancel a proposal that was not executed' },
] as const satisfies readonly CommandAction[]

const own = {
  'from-round': numberOption(
    'environment, schedule: first round of the change (default: late enough to execute it within a second delay)',
  ),
  'dry-run': flag('check and simulate, print the transaction, send nothing'),
  safe: textOption('FILE', 'the same, and write the transaction to FILE, for the Transaction Builder of a Safe'),
  account: textOption(
    'ADDRESS',
    'propose with --dry-run or --safe: account that will make the call (default: with --dry-run that of WAGGLE_DEPLOYER_KEY, else the only one that can)',
  ),
  ...jsonOption,
}

/** Changes a deployment through its timelock: proposals, which everybody can read, and their execution. */
export const owner = defineCommand({
  usage: `npx waggle owner show|list [OPTIONS]
npx waggle owner propose ACTION [ARGUMENTS] [OPTIONS]
npx waggle owner execute|cancel ID [OPTIONS]`,
  about:
    'WAGGLE_DEPLOYER_KEY holds the private key of the account that proposes, executes or cancels. show, list, --dry-run and --safe need none; with it, --dry-run shows what this account would send.',
  own,
  peer: ownerSettings,
  actions: verbs,
  positionals: ['ACTION'],
  morePositionals: ['SUBJECT', 'ARGUMENT', 'ARGUMENT', 'ARGUMENT'],
  async run({ json, 'from-round': fromRound, 'dry-run': isDry, safe, account }, [word = '', subject, ...words], flags) {
    const verb = knownAction(word, verbs)
    if (verb === 'propose' && subject === undefined) return listActions(json)
    const isRead = verb === 'show' || verb === 'list'
    if (isRead !== (subject === undefined) || (verb !== 'propose' && words.length > 0))
      throw new UsageError(isRead ? `owner ${verb} takes no argument.` : `owner ${verb} needs one ID.`, {
        hint: 'See npx waggle owner --help.',
      })
    const { openOwner } = await import('../owner/openOwner.ts')
    const open = () => openOwner(openOwned(loadConfig(flags)))
    if (verb === 'show') return printGovernance(await open(), json)
    if (verb === 'list') return printList(await open(), json)
    const action = verb === 'propose' ? await actionOf(subject ?? '', words) : verb
    const { callerOf } = await import('../owner/callerOf.ts')
    const caller = callerOf({ isDry, isSafes: safe !== undefined, account })
    const outcome =
      typeof action === 'object'
        ? await proposeAction(open, [action, words], caller, fromRound)
        : await (await import('../owner/operations.ts'))[`${action}Operation`](await open(), subject ?? '', caller.key)
    if (safe !== undefined) await writeSafe(safe, outcome.transaction, (await open()).deployment.chainId)
    showResult(outcome, json)
  },
})

async function printGovernance(session: OwnerSession, asJson: boolean): Promise<void> {
  const [{ showGovernance }, { governanceLines }] = await Promise.all([
    import('../owner/showGovernance.ts'),
    import('../owner/governanceLines.ts'),
  ])
  const found = await showGovernance(session)
  if (asJson) showResult(found, true)
  else console.log(strangersText(governanceLines(found).join('\n')))
}

/** @throws {UsageError} if the action is unknown, or its arguments are wrong. */
async function actionOf(name: string, words: readonly string[]): Promise<Action> {
  const { actions } = await import('../owner/actions.ts')
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) throw unknownWord('action', name, Object.keys(actions))
  const needed = action.takes.filter(one => !one.endsWith('?')).length
  if (words.length < needed || words.length > action.takes.length)
    throw new UsageError(`The arguments of ${name} are: ${action.takes.join(' ') || 'none'}.`, {
      hint: 'npx waggle owner propose lists the actions.',
    })
  return action
}

async function proposeAction(
  open: () => Promise<OwnerSession>,
  [action, words]: readonly [Action, readonly string[]],
  caller: Caller,
  fromRound: number | undefined,
) {
  const { propose } = await import('../owner/propose.ts')
  const { environmentHash } = await import('#environments/environmentSpec.ts')
  const session = await open()
  const context = {
    ...session,
    fromRound: fromRound ?? null,
    hashOfSpec: async (path: string) => environmentHash(await readSpec(path)),
  }
  return propose(session, await action.build(words, context), caller)
}

async function listActions(asJson: boolean): Promise<void> {
  const { actions } = await import('../owner/actions.ts')
  const listed = Object.entries(actions).map(([action, { takes, summary }]) => ({ action, takes, summary }))
  if (asJson) return console.log(JSON.stringify({ actions: listed }))
  for (const { action, takes, summary } of listed) console.log(`${[action, ...takes].join(' ').padEnd(40)} ${summary}`)
}

async function printList(session: OwnerSession, asJson: boolean): Promise<void> {
  const [{ listOperations }, { operationLine }] = await Promise.all([
    import('../owner/operations.ts'),
    import('../owner/governanceLines.ts'),
  ])
  const operations = await listOperations(session)
  if (asJson) return console.log(JSON.stringify({ operations }))
  for (const operation of operations) console.log(operationLine(operation))
  if (operations.length === 0) console.log('Nothing was proposed to the timelock.')
}

/** A batch in the format of Safe's Transaction Builder. */
async function writeSafe(file: string, transaction: Transaction, chainId: number): Promise<void> {
  const batch = {
    ...{ version: '1.0', chainId: `${chainId}`, createdAt: systemClock.nowMs() },
    meta: { name: "Waggle, owner's call" },
    transactions: [{ ...transaction, contractMethod: null, contractInputsValues: null }],
  }
  await writeFile(file, `${JSON.stringify(batch, null, 2)}\n`)
}
