import type {
  Completion,
  CompletionChunk,
  CompletionFinishReason,
  CompletionUsage,
  ComponentFrame,
} from '@berth/contract/agent';
import { createFlattener } from './create-flattener.ts';

/** The fields that all chunks of a completion share. */
export interface CompletionHeader {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
}

/** The end of a completion: its finish reason and usage. */
export interface CompletionEnd {
  readonly finishReason: CompletionFinishReason;
  readonly usage: CompletionUsage;
}

/** The frames of a turn, as a generator that returns the end of the completion. */
export type CompletionSource = AsyncGenerator<ComponentFrame, CompletionEnd>;

/**
 * Yields the chunks of a streamed completion: the role alone, then text, then the finish reason, then the usage if it was
 * requested. Source: OpenAI's API reference, "The chat completion chunk object".
 */
export async function* completionChunks(
  header: CompletionHeader,
  source: CompletionSource,
  { includeUsage }: { readonly includeUsage: boolean },
): AsyncGenerator<CompletionChunk, void> {
  type Choice = CompletionChunk['choices'][number];
  const chunk = (delta: Choice['delta'], finishReason: CompletionFinishReason | null): CompletionChunk => ({
    ...base(header),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(includeUsage ? { usage: null } : {}),
  });
  yield chunk({ role: 'assistant', content: '' }, null);
  const end = yield* mapTexts(source, (content) => chunk({ content }, null));
  yield chunk({}, end.finishReason);
  if (includeUsage) yield { ...base(header), choices: [], usage: end.usage };
}

/** Returns the completion for a request without `stream`: the whole turn in one object. */
export async function readCompletion(header: CompletionHeader, source: CompletionSource): Promise<Completion> {
  let content = '';
  const texts = mapTexts(source, (text) => text);
  let next = await texts.next();
  for (; !next.done; next = await texts.next()) content += next.value;
  const { finishReason, usage } = next.value;
  return {
    ...header,
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: finishReason },
    ],
    usage,
  };
}

function base(header: CompletionHeader) {
  return { ...header, object: 'chat.completion.chunk' as const };
}

/** Yields the text of the frames of `source` piece by piece. Ends `source` when the consumer stops early. */
async function* mapTexts<Mapped>(
  source: CompletionSource,
  map: (text: string) => Mapped,
): AsyncGenerator<Mapped, CompletionEnd> {
  const flattener = createFlattener();
  let isEnded = false;
  try {
    for (;;) {
      const next = await source.next();
      isEnded = next.done === true;
      const text = next.done ? flattener.end() : flattener.add(next.value);
      if (text !== '') yield map(text);
      if (next.done) return next.value;
    }
  } finally {
    if (!isEnded) await source.return({ finishReason: 'stop', usage: NO_USAGE });
  }
}

const NO_USAGE: CompletionUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
