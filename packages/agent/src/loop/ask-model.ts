import type { Component } from '@berth/agent-core';
import type { AssistantContent, EndReason, Model, ModelRequest, TokenUsage } from '../models/model.ts';

/** A complete answer of the model. */
export interface ModelAnswer {
  readonly content: readonly AssistantContent[];
  readonly calls: readonly ModelCall[];
  readonly reason: EndReason;
  readonly usage: TokenUsage;
  /** Name of the model that answered. */
  readonly model: string;
}

export type ModelCall = Extract<AssistantContent, { readonly type: 'tool_call' }>;

interface AskOptions {
  /** Ids of steps used in the chat so far; new ones are added. */
  readonly taken: Set<string>;
  /** Called with the text of an answer that was cut off, whose usage the upstream does not report. */
  onCut(text: string): void;
  /**
   * Holds a structured answer back until it was checked: its text, and calls of this tool. Text before calls of other tools becomes
   * thinking, so that the answer has no words beside its JSON.
   */
  readonly answerTool?: string | undefined;
}

/**
 * Sends a request to the model, yields its answer while it streams, and returns the whole. Calls of tools are shown as steps
 * with ids that are unique in the chat, because some upstreams count from zero in each answer.
 */
export async function* askModel(
  model: Model,
  request: ModelRequest,
  { taken, onCut, answerTool }: AskOptions,
): AsyncGenerator<string | Component, ModelAnswer> {
  const content: AssistantContent[] = [];
  const ids = new Map<string, string>();
  let text = '';
  let thinking = '';
  let said = '';
  let isWhole = false;
  let held = '';
  const hidden = new Set<string>();
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
          if (answerTool === undefined) yield event.text;
          else held += event.text;
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
          if (event.tool === answerTool) {
            hidden.add(event.id);
            break;
          }
          if (held !== '') yield { type: 'thinking', thinking: held };
          held = '';
          yield { type: 'step', id, step: event.tool, tool_name: event.tool };
          break;
        }
        case 'tool_delta':
          said += event.delta;
          if (!hidden.has(event.id)) yield { type: 'step_arg', id: ids.get(event.id) ?? event.id, delta: event.delta };
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
            model: event.model ?? model.name,
          };
      }
    }
  } finally {
    if (!isWhole && said !== '') onCut(said);
  }
  throw new TypeError(`the adapter of ${model.name} ended without an end event`);
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  let count = 2;
  while (taken.has(`${id}_${count}`)) count++;
  return `${id}_${count}`;
}
