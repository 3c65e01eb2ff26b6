import {
  type CalloutFrame,
  type CalloutStyle,
  type CodeFrame,
  type ImageFrame,
  jsonText,
  type Source,
  type SourcesFrame,
  type StatusFrame,
  type StepFrame,
  type TableFrame,
  type ThinkingFrame,
  type UiFrame,
} from '@berth/contract/agent';
import type { Component } from './handler-context.ts';

/** Returns thinking, which is shown apart from the answer. */
export function thinking(text: string): ThinkingFrame {
  return { type: 'thinking', thinking: text };
}

/** Returns a block of code; a following block of the same language is appended to it. */
export function code(text: string, language?: string): CodeFrame {
  return { type: 'code', code: text, ...(language === undefined ? {} : { language }) };
}

/** Returns a table, as the frames that open and fill it: `yield* table(…)`. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): TableFrame[] {
  return [{ type: 'table', headers }, ...rows.map((row): TableFrame => ({ type: 'table', row }))];
}

/** Returns a highlighted note. */
export function callout(text: string, style: CalloutStyle = 'info', title?: string): CalloutFrame {
  return { type: 'callout', callout: text, style, ...(title === undefined ? {} : { title }) };
}

/** Returns a picture; `src` is a path in the workspace or below `/public`, or an https URL. */
export function image(src: string, options: { readonly alt?: string; readonly caption?: string } = {}): ImageFrame {
  return { type: 'image', src, ...options };
}

/** Returns what the agent is doing now; it replaces the previous status. */
export function status(text: string): StatusFrame {
  return { type: 'status', status: text };
}

/** Returns a step, done or in progress; a second step with the same `id` updates the first. `args` is any JSON value. */
export function step(
  text: string,
  { args, ...options }: Omit<StepFrame, 'type' | 'step' | 'args'> & { readonly args?: unknown } = {},
): StepFrame {
  const given = jsonText(args);
  return { type: 'step', step: text, ...options, ...(given !== undefined && { args: given }) };
}

/** Returns the sources of an answer. */
export function sources(id: string, list: readonly Source[]): SourcesFrame {
  return { type: 'sources', id, sources: list };
}

/**
 * Returns a component of a type that only your own page knows, e.g. `component('chart', { points })`. It is sent unchanged, and is
 * a part of its own in the stored message. Other pages, and programs, leave it out.
 */
export function component(type: string, fields: Readonly<Record<string, unknown>> = {}): Component {
  return { ...fields, type } as unknown as Component;
}

/** Returns a request to the page. Pages ignore actions that they don't know. */
export function ui(action: UiFrame['action'], fields: Readonly<Record<string, unknown>> = {}): UiFrame {
  return { ...fields, type: 'ui', action };
}
