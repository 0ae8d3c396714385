/** One instruction of a Dockerfile; its arguments as they stand there, or the words of a JSON list. */
export interface Instruction {
  name: string
  text: string
  /** Words of the JSON form, which needs no shell. */
  words: string[] | null
}

/** Instructions of one `FROM`. */
export interface Stage {
  name: string
  base: string
  instructions: Instruction[]
}

/**
 * The stages of a Dockerfile, as far as ours uses the language: comments, continued lines, JSON forms, `FROM … AS`. No `ARG`, heredocs, or
 * parser directives: there is no need of them, and an unknown instruction is refused by who executes it.
 */
export function readDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter(line => !/^\s*(#|$)/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
  const stages: Stage[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`not an instruction: ${line}`)
    if (name === 'FROM') {
      const [, base = '', as = ''] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? []
      stages.push({ name: as, base, instructions: [] })
    } else {
      const words = rest.startsWith('[') ? (JSON.parse(rest) as string[]) : null
      const stage = stages.at(-1)
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`)
      stage.instructions.push({ name, text: rest, words })
    }
  }
  return stages
}

/** Instructions that are executed for a target: those of the stages that it is built on, then its own. */
export function instructionsOf(stages: readonly Stage[], target: string): Instruction[] {
  const stage = stages.find(({ name }) => name === target)
  if (stage === undefined) throw new Error(`no stage ${target}`)
  const isBuiltHere = stages.some(({ name }) => name === stage.base)
  return [...(isBuiltHere ? instructionsOf(stages, stage.base) : []), ...stage.instructions]
}
