/**
 * What an agent streams: one JSON object a frame. Source: docs/contract/agent-api.md §2, "Frames". Clients pass over types they do not
 * know, so that new ones may be added.
 */
export type Frame = ChatIdFrame | PingFrame | ComponentFrame | UiFrame;

/** The first frame of every turn. */
export interface ChatIdFrame {
  readonly type: 'chat_id';
  readonly chat_id: string;
}

/** Sent after 15 s of silence. */
export interface PingFrame {
  readonly type: 'ping';
}

/** A frame that becomes, or changes, a part of the message. */
export type ComponentFrame =
  | TextFrame
  | ThinkingFrame
  | CodeFrame
  | TableFrame
  | CalloutFrame
  | ImageFrame
  | StatusFrame
  | StepFrame
  | StepArgFrame
  | ToolCallFrame
  | SourcesFrame;

/** Appended to the part before it when that is text too. */
export interface TextFrame {
  readonly type: 'text';
  readonly text: string;
}

/** What the model thinks aloud; appended as text is. */
export interface ThinkingFrame {
  readonly type: 'thinking';
  readonly thinking: string;
}

/** Appended to the part before it when that is code of the same language. */
export interface CodeFrame {
  readonly type: 'code';
  readonly code: string;
  readonly language?: string;
}

/** `headers` opens a table; `row` adds to the one that is open. */
export type TableFrame =
  | { readonly type: 'table'; readonly headers: readonly string[]; readonly row?: undefined }
  | { readonly type: 'table'; readonly row: readonly string[]; readonly headers?: undefined };

export const CALLOUT_STYLES = ['info', 'warning', 'error', 'success'] as const;

export type CalloutStyle = (typeof CALLOUT_STYLES)[number];

export interface CalloutFrame {
  readonly type: 'callout';
  readonly callout: string;
  readonly style: CalloutStyle;
  readonly title?: string;
}

export interface ImageFrame {
  readonly type: 'image';
  readonly src: string;
  readonly alt?: string;
  readonly caption?: string;
}

/** Replaces the status before it. */
export interface StatusFrame {
  readonly type: 'status';
  readonly status: string;
}

/** Something the agent does. With `id` it is merged, field by field, into the step of that id wherever it stands. */
export interface StepFrame {
  readonly type: 'step';
  readonly step?: string;
  readonly tool_name?: string;
  readonly id?: string;
  /** How it ended; absent while it runs. */
  readonly ok?: boolean;
  readonly args?: unknown;
  /** At most 3,000 characters. */
  readonly result?: string;
  readonly connector?: string;
}

/** Appended to the `args` of that step. */
export interface StepArgFrame {
  readonly type: 'step_arg';
  readonly id: string;
  readonly delta: string;
}

export interface ToolCallFrame {
  readonly type: 'tool_call';
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface Source {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
}

export interface SourcesFrame {
  readonly type: 'sources';
  readonly id: string;
  readonly sources: readonly Source[];
}

export const UI_ACTIONS = ['open_canvas', 'suggest', 'ask', 'confirm', 'connect', 'open_plan_modal'] as const;

export type UiAction = (typeof UI_ACTIONS)[number];

/** Asks the page to do something; no part of the message. */
export interface UiFrame {
  readonly type: 'ui';
  readonly action: UiAction;
  readonly [field: string]: unknown;
}

/** Source: docs/contract/agent-api.md §2, the step's row. */
export const STEP_RESULT_CHARACTERS = 3_000;
