import { z } from 'zod'
import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { isRepoName } from '#hub/repoReference.ts'
import { devices } from '#model/devices.ts'
import { basePrecisions } from '#model/lora/loraConfig.ts'
import { networkSettings } from '#p2p/networkConfig.ts'
import { roleNames } from '#roles/roleName.ts'
import { roleSettings } from '#roles/roleSettings.ts'
import { chainSettings, httpUrl, hubSettings, logSettings } from './commonSettings.ts'

const megabytes = z.coerce.number().int().max(1e9)

/** Share of a proposer's tasks that are from its dataset: no model is loaded then. */
export const DATASET_SHARE = 1
/** Rounds from one push of a policy to the next. */
export const PUSH_EVERY = 20

const sponsorSetting = {
  sponsor: httpUrl.optional().meta({
    value: 'URL',
    description:
      'sponsor that pays for registration and gas if the account has no funds; WAGGLE_SPONSOR_TOKEN is its invitation, if it requires one',
  }),
}

const datasetSettings = {
  dataset: z.string().min(1).optional().meta({
    value: 'PATH_OR_REPO',
    description:
      'proposer: propose the tasks of a dataset (docs/guides/use-a-dataset.md); solver: report figures of its tasks separately',
  }),
  'dataset-share': z.coerce
    .number()
    .positive()
    .max(1)
    .optional()
    .meta({
      value: 'X',
      description: `proposer: share of its tasks that come from the dataset (default ${DATASET_SHARE}: no model is loaded); its model proposes the others, and dataset tasks replace its invalid ones`,
    }),
}

const diskSettings = {
  // Enough for adapters of 35 MB of six solvers while a jury may ask for them; docs/network.md has the sizes for more solvers.
  'keep-mb': megabytes
    .min(64)
    .default(8192)
    .meta({ value: 'N', description: 'disk space for the bundles of all peers, MiB' }),
  // Nine of the largest policies, in three quarters of it.
  'keep-peer-mb': megabytes.min(16).default(1024).meta({
    value: 'N',
    description: 'disk space for the bundles of one peer, MiB; its oldest bundles are deleted first',
  }),
}

const modelSettings = {
  environment: z.string().min(1).optional().meta({
    value: 'FILE',
    description:
      'specification of an environment of chat models (see npx waggle environment create); without it the starter models play',
  }),
  model: z.string().min(1).optional().meta({
    value: 'PATH_OR_REPO',
    description:
      'the chat model that solves: a folder, a GGUF file, or OWNER/NAME[@REVISION] on the Hugging Face hub; roles that do not solve name one with the same tokenizer',
  }),
  // As many as an environment can list, besides --model.
  bases: z.array(z.string().min(1)).max(15).default([]).meta({
    value: 'PATH_OR_REPO',
    option: 'base',
    description:
      "evaluator, auditor: another of the environment's bases over which it checks adapters, named like --model; may be repeated",
  }),
  proposer: z.string().min(1).optional().meta({
    value: 'PATH_OR_REPO_OR_URL',
    description:
      'proposer: the model that proposes, of any tokenizer, in 8 bits (default --model), or a server like that of --judge; frozen unless --lora is given',
  }),
  judge: z.string().min(1).optional().meta({
    value: 'PATH_OR_REPO_OR_URL',
    description:
      'solver, evaluator, auditor: the frozen judge (default: the one that the specification names), or http://HOST:PORT/v1#MODEL of an OpenAI-compatible server, with its key in OPENAI_API_KEY',
  }),
  generate: z.string().refine(isServerUrl, 'not an http or https URL').optional().meta({
    value: 'URL',
    description:
      'solver: sample its answers on a vLLM or llama.cpp server, named as for --judge. The adapter is trained here; vLLM loads it after each update. Such answers cannot be checked: the solver learns, and earns nothing',
  }),
  'generate-adapters': z.string().min(1).optional().meta({
    value: 'DIR',
    description:
      "with --generate: folder that the server reads under the same path (default served in the peer's folder)",
  }),
}

const trainingSettings = {
  device: z
    .enum(['auto', ...devices])
    .default('auto')
    .meta({
      value: 'NAME',
      description:
        'auto, cpu, webgpu or cuda: device for generation, scoring and training; auto is the device that npx waggle devices recommends, for the starter models the CPU. Sampling is checked on the CPU',
    }),
  lora: z.coerce.number().int().min(0).max(4096).optional().meta({
    value: 'RANK',
    description:
      'solver: rank of the LoRA adapter to train; 0 trains all weights (default: 16, halved until the adapter can be published; 0 for models whose weights can be published whole). An adapter in the folder is resumed; contradicting options are refused. proposer: train an adapter on the learnability of its tasks (default: the model is frozen; learning takes 4 to 6 times its memory)',
  }),
  'lora-alpha': z.coerce.number().positive().max(1e6).optional().meta({
    value: 'N',
    description: 'alpha: updates are scaled by alpha / rank (default twice the rank)',
  }),
  'lora-targets': z
    .string()
    .regex(/^[a-z_]+(,[a-z_]+)*$/, 'not names of modules, separated by commas')
    .optional()
    .meta({
      value: 'NAMES',
      description: 'modules with an adapter, separated by commas (default all linear modules of the layers)',
    }),
  'lora-base': z.enum(basePrecisions).optional().meta({
    value: 'NAME',
    description:
      'float32 or int8: precision of the frozen layers under the adapter (default float32, for a proposer int8); a solver over int8 learns but earns nothing',
  }),
  push: z.string().refine(isRepoName, 'not OWNER/NAME').optional().meta({
    value: 'OWNER/NAME',
    description:
      'solver: publish its policy on the Hugging Face hub, with a model card that names its origin; HF_TOKEN is the access token',
  }),
  'push-every': z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .meta({ value: 'N', description: `with --push: rounds between two pushes (default ${PUSH_EVERY})` }),
}

/** Everything that `start` takes as an option and `waggle.yaml` as a setting, except the folder, in the order of --help. */
export const peerSettings = {
  role: z
    .enum(roleNames)
    .optional()
    .meta({ value: 'ROLE', description: roleNames.join(', ') }),
  ...chainSettings,
  ...feeSettings,
  ...networkSettings,
  ...sponsorSetting,
  ...datasetSettings,
  ...roleSettings,
  ...diskSettings,
  ...modelSettings,
  ...hubSettings,
  ...trainingSettings,
  ...logSettings,
}
