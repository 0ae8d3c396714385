import { NodeError } from '#base/errors.ts'

/** An invalid tensor graph: mismatched shapes, or a gradient of an op that has none. */
export class GraphError extends NodeError {
  readonly code: string = 'ENGINE_GRAPH'

  constructor(message: string) {
    super(message, { hint: 'This is a defect of the program that builds the graph; please report it.' })
  }
}

/** ONNX Runtime refused to build or to run a model. */
export class SessionError extends NodeError {
  readonly code: string = 'ENGINE_SESSION'
}

/** The runtime ran out of memory; smaller parts may succeed. */
export class SessionMemoryError extends SessionError {
  override readonly code = 'ENGINE_MEMORY'
}

/** Whether memory was short, for the runtime or for a JavaScript array. */
export function isShortage(error: unknown): boolean {
  if (error instanceof SessionMemoryError) return true
  return error instanceof RangeError && /array buffer allocation failed/i.test(error.message)
}

/** A GPU failed in a run. It may be lost to this process; a new process may get it back. */
export class DeviceError extends SessionError {
  override readonly code = 'ENGINE_DEVICE'
}
