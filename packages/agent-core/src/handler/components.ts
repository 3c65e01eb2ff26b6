import type {
  CalloutFrame,
  CalloutStyle,
  CodeFrame,
  ImageFrame,
  Source,
  SourcesFrame,
  StatusFrame,
  StepFrame,
  TableFrame,
  ThinkingFrame,
  UiAction,
  UiFrame,
} from '@berth/contract/agent';

/** Thinking aloud, shown apart from the answer. */
export function thinking(text: string): ThinkingFrame {
  return { type: 'thinking', thinking: text };
}

/** Code; what follows of the same language is appended to it. */
export function code(text: string, language?: string): CodeFrame {
  return { type: 'code', code: text, ...(language === undefined ? {} : { language }) };
}

/** A table, as the frames that open it and fill it: `yield* table(…)`. */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): TableFrame[] {
  return [{ type: 'table', headers }, ...rows.map((row): TableFrame => ({ type: 'table', row }))];
}

/** A note that stands out. */
export function callout(text: string, style: CalloutStyle = 'info', title?: string): CalloutFrame {
  return { type: 'callout', callout: text, style, ...(title === undefined ? {} : { title }) };
}

/** A picture; `src` is a path of the workspace, of `/public`, or an https URL. */
export function image(src: string, options: { readonly alt?: string; readonly caption?: string } = {}): ImageFrame {
  return { type: 'image', src, ...options };
}

/** What the agent does at the moment; replaces the status before it. */
export function status(text: string): StatusFrame {
  return { type: 'status', status: text };
}

/** Something that was done or is being done; with `id`, a second one changes the first. */
export function step(text: string, options: Omit<StepFrame, 'type' | 'step'> = {}): StepFrame {
  return { type: 'step', step: text, ...options };
}

/** Where an answer comes from. */
export function sources(id: string, list: readonly Source[]): SourcesFrame {
  return { type: 'sources', id, sources: list };
}

/** Asks the page to do something. */
export function ui(action: UiAction, fields: Readonly<Record<string, unknown>> = {}): UiFrame {
  return { ...fields, type: 'ui', action };
}
