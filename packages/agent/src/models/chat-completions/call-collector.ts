import { randomBytes } from 'node:crypto';
import type { ModelEvent } from '../model.ts';
import { type Loose, objectOf, textOf } from '../upstream/read-json.ts';

type CallEvent = Extract<ModelEvent, { readonly type: 'tool_start' | 'tool_delta' | 'tool_call' }>;

export interface CallCollector {
  /** Adds one entry of a chunk's `tool_calls`. */
  add(delta: Loose): Generator<CallEvent>;
  /** Yields the complete calls, in the order they started. */
  end(): readonly CallEvent[];
}

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  tool: string;
  args: string;
  /** `extra_content` with Gemini's signature of a call, which it expects back. */
  extra?: unknown;
}

/**
 * Assembles calls from their pieces. Usually the first piece has index, id and name, and further ones have the index and more of the
 * arguments. Servers also send: no index (a new id or a name then starts a call), no id (one is generated), id and name in each
 * piece, a different id in each piece, every call at index 0, arguments as an object.
 */
export function createCallCollector(): CallCollector {
  const calls: OpenCall[] = [];

  const find = (index: unknown, id: string, tool: string): OpenCall | undefined => {
    const sameId = id === '' ? undefined : calls.find((call) => call.id === id);
    if (sameId || index === undefined) return sameId ?? (id === '' && tool === '' ? calls.at(-1) : undefined);
    const sameIndex = calls.findLast((call) => call.index === index);
    // A name at a used index starts another call.
    return id !== '' && tool !== '' ? undefined : sameIndex;
  };

  return {
    *add(delta) {
      const fn = objectOf(delta['function']);
      const id = textOf(delta['id']);
      const tool = textOf(fn['name']);
      const { arguments: given } = fn;
      const args = typeof given === 'object' && given !== null ? JSON.stringify(given) : textOf(given);
      let call = find(delta['index'], id, tool);
      if (!call) {
        call = { index: delta['index'], id: id || `call_${randomBytes(12).toString('hex')}`, tool, args: '' };
        calls.push(call);
        yield { type: 'tool_start', id: call.id, tool };
      } else if (call.tool === '') call.tool = tool;
      if (delta['extra_content'] !== undefined) call.extra = delta['extra_content'];
      if (args === '') return;
      call.args += args;
      yield { type: 'tool_delta', id: call.id, delta: args };
    },
    end: () =>
      calls.map(({ id, tool, args, extra }) => ({
        type: 'tool_call',
        id,
        tool,
        args,
        ...(extra !== undefined && { proof: { extra } }),
      })),
  };
}
