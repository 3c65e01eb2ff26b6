import { randomBytes } from 'node:crypto';
import type { ModelEvent } from '../model.ts';
import { type Loose, objectOf, textOf } from '../upstream/read-json.ts';

type CallEvent = Extract<ModelEvent, { readonly type: 'tool_start' | 'tool_delta' | 'tool_call' }>;

export interface CallCollector {
  /** One entry of `tool_calls` of a chunk. */
  add(delta: Loose): Generator<CallEvent>;
  /** The calls, whole, in the order in which they began. */
  end(): readonly CallEvent[];
}

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  tool: string;
  args: string;
  /** `extra_content`, in which Gemini signs a call, and which it wants back. */
  extra?: unknown;
}

/**
 * Puts calls together from their pieces. The usual: the first piece has index, id and name, further ones have the index
 * and more of the arguments. Also in use: no index (then a new id, or a name, begins a call), no id (then one is made),
 * id and name in each piece, another id in each piece, every call under the number 0, arguments as an object.
 */
export function createCallCollector(): CallCollector {
  const calls: OpenCall[] = [];

  const find = (index: unknown, id: string, tool: string): OpenCall | undefined => {
    const sameId = id === '' ? undefined : calls.find((call) => call.id === id);
    if (sameId || index === undefined) return sameId ?? (id === '' && tool === '' ? calls.at(-1) : undefined);
    const sameIndex = calls.findLast((call) => call.index === index);
    // Another call under a number that was used: with a name, it begins.
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
