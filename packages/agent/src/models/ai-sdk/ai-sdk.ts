import { type Clock, createSystemClock } from '@berth/kit';
import type { Model, ToolChoice } from '../model.ts';
import { decodeParts, faultOfThrown } from './decode-parts.ts';
import { encodePrompt } from './encode-prompt.ts';

/**
 * A language model of an AI SDK provider, in version 2 to 4 of the interface. Typed by its shape, so that the SDK is no dependency.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

export interface AiSdkOptions {
  /** Most tokens of one answer. */
  readonly maxOutputTokens?: number;
  /** Added to the call unchanged, e.g. `providerOptions`, `temperature`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
}

const VERSIONS = ['v2', 'v3', 'v4'];

/**
 * Adapts a model of the AI SDK, for providers without an adapter here: `aiSdk(google('gemini-…'))`. The adapters here stream the
 * first word sooner.
 * @throws RangeError for an unknown version of the interface.
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): Model {
  const { maxOutputTokens, extra, clock = createSystemClock() } = options;
  const { specificationVersion: version, provider, modelId } = model;
  if (!VERSIONS.includes(version)) {
    throw new RangeError(
      `${modelId} speaks version ${version} of the AI SDK's interface; ${VERSIONS.join(', ')} are known.`,
    );
  }
  const name = `${modelId} of ${provider}`;
  return {
    name: modelId,
    // The SDK adds the kind of API: `openai.chat`.
    provider: provider.split('.', 1)[0] as string,
    hasResponseFormat: true,
    async *stream({ system, messages, tools, toolChoice, responseFormat, signal, onFirstByte }) {
      signal.throwIfAborted();
      const call = {
        prompt: encodePrompt(version, system, messages, provider.startsWith('anthropic')),
        ...(tools.length > 0 && {
          tools: tools.map((tool) => ({ type: 'function', ...tool })),
          ...(toolChoice && { toolChoice: encodeToolChoice(toolChoice) }),
        }),
        ...(responseFormat && {
          responseFormat: { type: 'json', name: responseFormat.name, schema: responseFormat.schema },
        }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        abortSignal: signal,
        ...extra,
      };
      const answer = await Promise.resolve(model.doStream(call as never)).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : faultOfThrown(name, error, clock);
      });
      yield* decodeParts(name, answer.stream, { signal, onFirstByte, clock });
    },
  };
}

function encodeToolChoice(choice: ToolChoice): object {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}
