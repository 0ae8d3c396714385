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

/** A GPU failed in a run. It may be lost to this process; a new process may get it back. */
export class DeviceError extends SessionError {
  override readonly code = 'ENGINE_DEVICE'
}
