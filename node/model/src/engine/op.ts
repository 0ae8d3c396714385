/** Every op that a graph may hold, by the file that has its row. */
export type ElementwiseOp =
  | 'Add'
  | 'Sub'
  | 'Mul'
  | 'Div'
  | 'Min'
  | 'Max'
  | 'Neg'
  | 'Exp'
  | 'Log'
  | 'Sqrt'
  | 'Reciprocal'
  | 'Sigmoid'
  | 'Identity'
  | 'Clip'
  | 'Where'
  | 'Cast'
  | 'Less'
  | 'LessOrEqual'
  | 'Greater'
  | 'GreaterOrEqual'
  | 'Equal'
  | 'And'
  | 'Or'
  | 'Not'

export type ReshapingOp =
  | 'Reshape'
  | 'Transpose'
  | 'Expand'
  | 'Concat'
  | 'Split'
  | 'Slice'
  | 'Pad'
  | 'Unsqueeze'
  | 'Squeeze'
  | 'Shape'
  | 'Range'

export type ReductionOp =
  | 'ReduceSum'
  | 'ReduceMean'
  | 'ReduceMax'
  | 'ReduceLogSumExp'
  | 'Softmax'
  | 'LogSoftmax'
  | 'CumSum'
  | 'ArgMax'

export type LinearOp = 'MatMul' | 'HalfLinear'

export type IndexingOp =
  | 'Gather'
  | 'GatherElements'
  | 'GatherND'
  | 'ScatterElements'
  | 'ScatterRows'
  | 'PutRows'
  | 'TopK'
  | 'TokenLogProb'

export type NormalizationOp = 'RmsNorm' | 'Rope' | 'SiluMul'

export type ContribOp = 'RotaryEmbedding' | 'AddRmsNorm' | 'GroupedAttention'

export type IntegerOp = 'IntegerLinear' | 'BlockLinear'

export type OutputLayerOp = 'IntegerTokenLogProb' | 'PartedTokenLogProb'

export type Op =
  | ElementwiseOp
  | ReshapingOp
  | ReductionOp
  | LinearOp
  | IndexingOp
  | NormalizationOp
  | ContribOp
  | IntegerOp
  | OutputLayerOp
