import type { Completion, CompletionChunk, CompletionFinishReason } from '@berth/contract/agent';
import type { CompletionTurn } from './completion-turn.ts';

/** The fields that all chunks of a completion share. */
interface CompletionHeader {
  readonly id: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly model: string;
}

/**
 * Yields the chunks of a streamed completion: the role alone, then text, then the finish reason, then the usage if it was
 * requested. Source: OpenAI's API reference, "The chat completion chunk object".
 */
export async function* completionChunks(
  header: CompletionHeader,
  turn: CompletionTurn,
  { includeUsage }: { readonly includeUsage: boolean },
): AsyncGenerator<CompletionChunk, void> {
  type Choice = CompletionChunk['choices'][number];
  const chunk = (delta: Choice['delta'], finishReason: CompletionFinishReason | null): CompletionChunk => ({
    ...base(header),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(includeUsage ? { usage: null } : {}),
  });
  yield chunk({ role: 'assistant', content: '' }, null);
  for await (const content of turn.texts) yield chunk({ content }, null);
  const end = turn.end();
  yield chunk({}, end.finishReason);
  if (includeUsage) yield { ...base(header), choices: [], usage: end.usage };
}

/** Returns the completion for a request without `stream`: the whole turn in one object. */
export async function readCompletion(header: CompletionHeader, turn: CompletionTurn): Promise<Completion> {
  let content = '';
  for await (const text of turn.texts) content += text;
  const { finishReason, usage } = turn.end();
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
