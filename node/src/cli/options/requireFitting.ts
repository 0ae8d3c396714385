import { join } from 'node:path'
import { isNamed } from '#base/readSmallFile.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { environment } from '../environment.ts'
import { UsageError } from '../usageError.ts'
import type { Config } from './config.ts'
import { DATASET_SHARE } from './settings.ts'

/** The problem and its remedy; null if the settings fit. */
type Misfit = readonly [problem: string, hint: string] | null

/**
 * Checks that the settings of a peer can be combined, before any model is loaded.
 *
 * @throws {UsageError} that names the settings file too, if there is one: nobody may have given the option just now.
 */
export function requireFitting(config: Config): void {
  const misfit = rules.map(rule => rule(config)).find(found => found !== null)
  if (misfit === undefined || misfit === null) return
  const [problem, hint] = misfit
  const file = join(config.data, SETTINGS_FILE)
  throw new UsageError(problem, {
    hint: isNamed(file) ? `${hint} What no option says is set in ${file}.` : hint,
  })
}

const rules: readonly ((config: Config) => Misfit)[] = [
  misfitOfAdapter,
  misfitOfBases,
  misfitOfProposer,
  misfitOfShare,
  misfitOfPush,
  misfitOfGenerate,
  misfitOfFigures,
  misfitOfSponsor,
]

const a = (role: Config['role']) => `${/^[aeiou]/.test(role ?? '') ? 'An' : 'A'} ${role}`

function misfitOfAdapter(config: Config): Misfit {
  const { role } = config
  const asked = (['lora', 'lora-alpha', 'lora-targets', 'lora-base'] as const).some(name => config[name] !== undefined)
  if (!asked || role === 'solver' || role === 'proposer') return null
  return [`${a(role)} trains no adapter.`, '--lora and its options are for a solver or a proposer.']
}

function misfitOfBases({ role, bases, environment: spec }: Config): Misfit {
  if (bases.length === 0) return null
  if (role !== 'evaluator' && role !== 'auditor')
    return [`${a(role)} checks no adapters.`, '--base is for an evaluator or an auditor.']
  return spec === undefined ? ['--base needs --environment and --model.', 'Bases are those of chat models.'] : null
}

function misfitOfProposer({
  role,
  proposer,
  lora = 0,
  dataset,
  'dataset-share': share = DATASET_SHARE,
}: Config): Misfit {
  if (proposer !== undefined && role !== 'proposer')
    return [`${a(role)} proposes no tasks.`, '--proposer is for a proposer.']
  if (dataset !== undefined && role !== 'proposer' && role !== 'solver')
    return [`${a(role)} neither proposes nor learns.`, '--dataset is for a proposer or a solver.']
  if (role !== 'proposer' || lora === 0) return null
  if (proposer !== undefined && isServerUrl(proposer))
    return ['A model on a server stays frozen.', 'Leave out --lora, or name a model that runs here with --proposer.']
  if (dataset === undefined || share !== 1) return null
  return [
    'No model proposes, so there is nothing to train.',
    'Leave out --lora, or have the model propose some of the tasks with --dataset-share.',
  ]
}

function misfitOfShare({ role, dataset, 'dataset-share': share }: Config): Misfit {
  if (share === undefined) return null
  if (role !== 'proposer') return [`${a(role)} proposes no tasks.`, '--dataset-share is for a proposer.']
  return dataset === undefined ? ['--dataset-share needs --dataset.', 'Name a dataset with --dataset.'] : null
}

function misfitOfPush({ role, push, 'push-every': every }: Config): Misfit {
  if (push === undefined)
    return every === undefined ? null : ['--push-every needs --push.', 'Name a repository with --push OWNER/NAME.']
  if (role !== 'solver') return [`${a(role)} learns nothing.`, '--push is for a solver.']
  if (environment.hubToken() !== undefined) return null
  return ['--push needs an access token.', 'Set HF_TOKEN to one that may write to the repository.']
}

function misfitOfGenerate({ role, generate, 'generate-adapters': adapters }: Config): Misfit {
  if (generate !== undefined && role !== 'solver')
    return [`${a(role)} samples no answers.`, '--generate is for a solver.']
  if (generate !== undefined || adapters === undefined) return null
  return ['--generate-adapters needs --generate.', 'Name a server with --generate URL.']
}

function misfitOfFigures({ role, 'figures-of': figures }: Config): Misfit {
  return figures.length === 0 || role === 'gateway'
    ? null
    : [`${a(role)} serves no pages.`, '--figures-of is for a gateway.']
}

function misfitOfSponsor({ role, sponsor }: Config): Misfit {
  if (sponsor === undefined || (role !== 'gateway' && role !== 'auditor')) return null
  return [`${a(role)} does not register.`, '--sponsor is for roles that do.']
}
