import type { Component } from '@berth/agent-core';
import type { AssistantContent, EndReason, Model, ModelRequest, TokenUsage } from '../models/model.ts';

/** A complete answer of the model. */
export interface ModelAnswer {
  readonly content: readonly AssistantContent[];
  readonly calls: readonly ModelCall[];
  readonly reason: EndReason;
  readonly usage: TokenUsage;
}

export type ModelCall = Extract<AssistantContent, { readonly type: 'tool_call' }>;

/**
 * Sends a request to the model, yields its answer while it streams, and returns the whole. Calls of tools are shown as steps
 * with ids that are unique in the turn, because some upstreams count from zero in each answer.
 * @param taken the ids used in the turn so far; new ones are added.
 * @param onCut called with the text of an answer that was cut off, whose usage the upstream does not report.
 */
export async function* askModel(
  model: Model,
  request: ModelRequest,
  taken: Set<string>,
  onCut: (text: string) => void,
): AsyncGenerator<string | Component, ModelAnswer> {
  const content: AssistantContent[] = [];
  const ids = new Map<string, string>();
  let text = '';
  let thinking = '';
  let said = '';
  let isWhole = false;
  const flushText = () => {
    if (text !== '') content.push({ type: 'text', text });
    text = '';
  };
  try {
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case 'text':
          text += event.text;
          said += event.text;
          yield event.text;
          break;
        case 'thinking':
          flushText();
          thinking += event.text;
          said += event.text;
          yield { type: 'thinking', thinking: event.text };
          break;
        case 'thinking_end':
          flushText();
          content.push({ type: 'thinking', text: thinking, proof: event.proof });
          thinking = '';
          break;
        case 'tool_start': {
          flushText();
          const id = freeId(event.id, taken);
          taken.add(id);
          ids.set(event.id, id);
          yield { type: 'step', id, step: event.tool, tool_name: event.tool };
          break;
        }
        case 'tool_delta':
          said += event.delta;
          yield { type: 'step_arg', id: ids.get(event.id) ?? event.id, delta: event.delta };
          break;
        case 'tool_call':
          flushText();
          content.push({
            type: 'tool_call',
            id: ids.get(event.id) ?? event.id,
            tool: event.tool,
            args: event.args,
            ...(event.proof !== undefined && { proof: event.proof }),
          });
          break;
        case 'end':
          isWhole = true;
          flushText();
          return {
            content,
            calls: content.filter((part) => part.type === 'tool_call'),
            reason: event.reason,
            usage: event.usage,
          };
      }
    }
  } finally {
    if (!isWhole && said !== '') onCut(said);
  }
  throw new TypeError(`the adapter of ${model.name} ended without an end`);
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  let count = 2;
  while (taken.has(`${id}_${count}`)) count++;
  return `${id}_${count}`;
}
