import type { Model, ModelEvent, ModelRequest } from '../model.ts';

export const ask = (text: string): ModelRequest => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  tools: [],
  signal: new AbortController().signal,
});

/** All events of an answer. */
export function collectAnswer(model: Model, request: ModelRequest = ask('hi')): Promise<ModelEvent[]> {
  return Array.fromAsync(model.stream(request));
}

/** The same with neighbors of a kind put together, which depends on packets. */
export function joined(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const out: ModelEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (event.type === 'text' && last?.type === 'text') out[out.length - 1] = { ...last, text: last.text + event.text };
    else if (event.type === 'thinking' && last?.type === 'thinking') {
      out[out.length - 1] = { ...last, text: last.text + event.text };
    } else if (event.type === 'tool_delta' && last?.type === 'tool_delta' && last.id === event.id) {
      out[out.length - 1] = { ...last, delta: last.delta + event.delta };
    } else out.push(event);
  }
  return out;
}
