import { ModelFileError } from '../modelErrors.ts'
import type { Generator } from './generate.ts'

/**
 * A generator that ends at the first token without a probability: what follows a NaN is token 0 for ever. Weights that are read in
 * place are not checked before, since that takes as long as loading them.
 *
 * @param folder - of the weights, for the {@link ModelFileError}.
 */
export function checkedGenerator({ generate, dispose }: Generator, folder: string): Generator {
  return {
    dispose,
    generate: request =>
      generate({
        ...request,
        onToken(drawn) {
          if (Number.isNaN(drawn.logprob))
            throw new ModelFileError(folder, 'weights', 'give no probabilities: one is NaN, infinite or too large')
          request.onToken?.(drawn)
        },
      }),
  }
}
