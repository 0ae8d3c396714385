import { stringify } from 'yaml'
import { z } from 'zod'

type ModelCard = {
  readonly repo: string
  readonly baseModel: string | null
  readonly isAdapter: boolean
  /** Parsed config.json of a whole model. */
  readonly config: unknown
  /** Markdown about the model's origin. */
  readonly provenance?: string
}

const shape = z.looseObject({ model_type: z.string(), num_hidden_layers: z.number(), hidden_size: z.number() })

/** A model's README.md with the metadata that the hub reads. It contains known facts only. */
export function modelCard({ repo, baseModel, isAdapter, config, provenance }: ModelCard): string {
  const metadata = {
    library_name: isAdapter ? 'peft' : 'transformers',
    pipeline_tag: 'text-generation',
    tags: ['waggle', 'grpo', 'reinforcement-learning'],
    ...(baseModel === null ? {} : { base_model: baseModel, base_model_relation: isAdapter ? 'adapter' : 'finetune' }),
  }
  const known = shape.safeParse(config)
  const size = known.success
    ? ` It is a ${known.data.model_type} model with ${known.data.num_hidden_layers} layers of ${known.data.hidden_size}.`
    : ''
  const from = baseModel === null ? '' : ` It was trained from [${baseModel}](https://huggingface.co/${baseModel}).`
  return `---
${stringify(metadata).trim()}
---

# ${repo.split('/')[1]}

${isAdapter ? 'A LoRA adapter' : 'A model'} that was trained with reinforcement learning (GRPO) in a Waggle swarm, with
rewards that never come from running code.${from}${size}

Nothing is claimed here about what it can do: measure it on tasks of your own before you rely on it.
${provenance === undefined ? '' : `\n${provenance}`}`
}
