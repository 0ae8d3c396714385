import { ModelFileError } from '../modelErrors.ts'
import type { Precision } from '../quantization/precision.ts'
import type { Generator } from './generate.ts'

/**
 * A generator that stops at the first token whose probability is not a number: after a NaN, every token would be 0. Weights that are read in
 * place are not checked earlier, since that takes as long as loading them.
 *
 * @param folder - of the weights, for the {@link ModelFileError}.
 * @param precision - of the products. It is named, since float16 ends at 65,504: weights may be right in float32.
 */
export function checkedGenerator({ generate, dispose }: Generator, folder: string, precision: Precision): Generator {
  return {
    dispose,
    generate: request =>
      generate({
        ...request,
        onToken(drawn) {
          if (Number.isNaN(drawn.logprob))
            throw new ModelFileError(
              folder,
              'weights',
              `give no probabilities in ${precision}: one is NaN, infinite or too large${precision === 'float16' ? ' for it; try float32' : ''}`,
            )
          request.onToken?.(drawn)
        },
      }),
  }
}
