import type { Command } from '../command.ts'
import { checkEnvironment, showHash } from '../environments/checkEnvironment.ts'
import { createEnvironment } from '../environments/createEnvironment.ts'
import { unknownWord } from '../nearest.ts'
import { hubOptions, hubUsage } from '../options/modelOptions.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const
const actions = ['create', 'check', 'hash'] as const

/** Makes and checks specifications and kinds of environments. */
export const environmentCommand: Command = {
  usage: `npx waggle environment create [--kind NAME] --model PATH_OR_REPO [--judge PATH_OR_REPO] --out FILE [--json]
npx waggle environment check PATH --model PATH_OR_REPO [--judge PATH_OR_REPO] [--json]
npx waggle environment hash FILE [--json]

create writes the specification of an environment for models of one tokenizer (Qwen2, Qwen3, Llama 3, deepseek-coder), and prints its
hash. Deploy with the hash (npx hardhat deploy --environment HASH), give the file to everybody who takes part, and start each peer with
--environment FILE --model PATH_OR_REPO.

check runs the environment that a module exports as kind, and reports what would break a swarm: tasks, prompts or scores that differ
between peers, held-out tasks in the training set, answers that make scoring fail, a specification with more than one hash.

hash checks a specification that was written or edited by hand, and prints its hash, which the chain has to name.

  --kind NAME         create: codezero, which is Python functions, scored by a frozen chat model (default), or reasoning, which is
                      puzzles, checked by a program
  --model PATH_OR_REPO
                      a model of the solvers' family, whose tokenizer and chat template the environment fixes; check: nothing is generated
  --judge PATH_OR_REPO
                      the frozen judge, if the kind needs one; create calibrates it, and refuses it if it cannot tell right code from wrong
  --out FILE          create: where to write the specification
  --precision NAME    create: of the judge: float32, int8 or int4; part of the specification (default float32)
  --pairs N           create: pairs of right code and near-misses to calibrate and measure with (default 400, at least 200)
  --samples N         create: answers of the model to sample and run in a sandbox for the same purpose (default 200)
  --threads N         create: threads of the model (default 2)
${hubUsage}
  --json              print one JSON object on the last line`,
  options: {
    ...hubOptions,
    kind: text,
    model: text,
    judge: text,
    out: text,
    pairs: text,
    samples: text,
    precision: text,
    threads: text,
    json: { type: 'boolean' },
  },
  positionals: ['ACTION'],
  morePositionals: ['PATH'],
  async run(values, [action = '', path]) {
    const known = actions.find(name => name === action)
    if (known === undefined) throw unknownWord('action', action, actions)
    if (known === 'create') {
      if (path !== undefined)
        throw new UsageError(`environment create does not take '${path}'.`, { hint: 'Name the file with --out.' })
      return createEnvironment(values)
    }
    if (path === undefined)
      throw new UsageError(`environment ${known} needs a path.`, { hint: 'See npx waggle environment --help.' })
    return known === 'check' ? checkEnvironment(path, values) : showHash(path, values)
  },
}
