import { once } from '#base/once.ts'
import { createSession, type Session } from '#engine/session.ts'
import type { DecoderConfig } from '#model/decoder/decoderConfig.ts'
import type { LayeredPassOptions } from '../passes/layeredPassOptions.ts'
import type { LossKind } from '../passes/trainingGraphs.ts'
import { headModel, headScoringModel } from './headModel.ts'
import { type LayerModels, layerModels, loraOfLayer } from './layerModels.ts'

/** A layer's models with their sessions. */
interface LayerSessions extends LayerModels {
  readonly forwardSession: Session
  readonly backwardSession: Session
}

/** The sessions of a pass, each made when it is first needed. */
export interface LayeredSessions {
  /** Parts of sequences that share a prompt have their own models. */
  layer(layer: number, afterPrompt: boolean): Promise<LayerSessions>
  /** The output layer with a loss, or without one for log-probabilities alone. */
  head(loss: LossKind | null): Promise<Session>
  dispose(): Promise<void>
}

export function openLayeredSessions(config: DecoderConfig, options: LayeredPassOptions): LayeredSessions {
  const { threads, device, adapter, trained, temperature, kept, precision = 'float32' } = options
  const loras = Array.from({ length: config.layers }, (_, layer) =>
    adapter ? loraOfLayer(config, adapter.config, layer) : undefined,
  )
  const layers = new Map<string, Promise<LayerSessions>>()
  const heads = new Map<string, Promise<Session>>()

  async function openLayer(models: LayerModels): Promise<LayerSessions> {
    const forwardSession = await createSession(models.forward, { threads, sumsInProducts: false })
    try {
      const backwardSession = await createSession(models.backward, { threads, sumsInProducts: false })
      return { ...models, forwardSession, backwardSession }
    } catch (cause) {
      await forwardSession.dispose()
      throw cause
    }
  }

  return {
    layer(layer, afterPrompt) {
      const last = layer === config.layers - 1
      const lora = loras[layer]
      return once(layers, `${last} ${afterPrompt} ${lora?.targets}`, () =>
        openLayer(layerModels(config, { lora, last, afterPrompt, kept, precision, device })),
      )
    },
    head(loss) {
      const open = () => {
        const model = loss
          ? headModel(config, loss, { temperature, trained, precision, device })
          : headScoringModel(config, { temperature, precision, device })
        return createSession(model, { threads, arena: precision === 'int8', sumsInProducts: false })
      }
      return once(heads, JSON.stringify(loss), open)
    },
    async dispose() {
      for (const layer of layers.values()) {
        const { forwardSession, backwardSession } = await layer
        await forwardSession.dispose()
        await backwardSession.dispose()
      }
      layers.clear()
      for (const session of heads.values()) await (await session).dispose()
      heads.clear()
    },
  }
}
