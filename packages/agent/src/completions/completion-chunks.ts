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
 * Yields the chunks of a streamed completion: the role alone, then text, then calls of the client's tools and requests for approval,
 * then the finish reason, then the usage if it was requested. Source: OpenAI's API reference, "The chat completion chunk object".
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
  const { finishReason, usage, toolCalls, approvals } = turn.end();
  if (toolCalls.length > 0) yield chunk({ tool_calls: toolCalls.map((call, index) => ({ index, ...call })) }, null);
  if (approvals.length > 0) yield chunk({ approval_requests: [...approvals] }, null);
  yield chunk({}, finishReason);
  if (includeUsage) yield { ...base(header), choices: [], usage };
}

/** Returns the completion as one object: the whole turn. */
export async function readCompletion(header: CompletionHeader, turn: CompletionTurn): Promise<Completion> {
  let content = '';
  for await (const text of turn.texts) content += text;
  const { finishReason, usage, toolCalls, approvals } = turn.end();
  const message = {
    role: 'assistant' as const,
    content: content === '' && toolCalls.length > 0 ? null : content,
    refusal: null,
    ...(toolCalls.length > 0 && { tool_calls: [...toolCalls] }),
    ...(approvals.length > 0 && { approval_requests: [...approvals] }),
  };
  return {
    ...header,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  };
}

function base(header: CompletionHeader) {
  return { ...header, object: 'chat.completion.chunk' as const };
}
