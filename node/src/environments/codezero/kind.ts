import type { EnvironmentKind } from '../environmentKind.ts'
import { describeEnvironment } from './describeEnvironment.ts'
import { type CodeZeroSpec, codeZeroSpecSchema } from './environmentSpec.ts'
import { loadChatEnvironment } from './loadChat.ts'

export const kind: EnvironmentKind<CodeZeroSpec> = {
  schema: codeZeroSpecSchema,
  needsJudge: true,
  judgeOf: ({ judge }) => (judge.kind === 'trueFalse' ? judge.model : null),
  load: loadChatEnvironment,
  describe: describeEnvironment,
}
