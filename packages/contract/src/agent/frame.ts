/**
 * A frame of an agent's stream: one JSON object. Clients ignore unknown types, so new ones can be added.
 * Source: docs/contract/agent-api.md §2, "Frames".
 */
export type Frame = ChatIdFrame | PingFrame | ComponentFrame | UiFrame;

/** The id of the chat; the first frame of every turn. */
export interface ChatIdFrame {
  readonly type: 'chat_id';
  readonly chat_id: string;
}

/** A keep-alive frame, sent after 15 s without another frame. */
export interface PingFrame {
  readonly type: 'ping';
}

/**
 * A frame that adds or changes a part of the message. A handler may send types that are not listed here, for a page of its own:
 * each is passed on unchanged, and is a part of its own.
 */
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

/** Text, appended to the previous part when that is text too. */
export interface TextFrame {
  readonly type: 'text';
  readonly text: string;
}

/** The model's reasoning, appended to the previous part when that is reasoning too. */
export interface ThinkingFrame {
  readonly type: 'thinking';
  readonly thinking: string;
}

/** Code, appended to the previous part when that is code of the same language. */
export interface CodeFrame {
  readonly type: 'code';
  readonly code: string;
  readonly language?: string;
}

/** Table data: `headers` starts a table, `row` adds to the current one. */
export type TableFrame =
  | { readonly type: 'table'; readonly headers: readonly string[]; readonly row?: undefined }
  | { readonly type: 'table'; readonly row: readonly string[]; readonly headers?: undefined };

/** The styles of a callout. */
export const CALLOUT_STYLES = ['info', 'warning', 'error', 'success'] as const;

export type CalloutStyle = (typeof CALLOUT_STYLES)[number];

/** A highlighted note. */
export interface CalloutFrame {
  readonly type: 'callout';
  readonly callout: string;
  readonly style: CalloutStyle;
  readonly title?: string;
}

/** An image. */
export interface ImageFrame {
  readonly type: 'image';
  readonly src: string;
  readonly alt?: string;
  readonly caption?: string;
}

/** The current status, which replaces the previous one. */
export interface StatusFrame {
  readonly type: 'status';
  readonly status: string;
}

/** An action of the agent. A step with an `id` is merged field by field into an earlier step with that id. */
export interface StepFrame {
  readonly type: 'step';
  readonly step?: string;
  readonly tool_name?: string;
  readonly id?: string;
  /** True when the step succeeded; absent while it runs or waits. */
  readonly ok?: boolean;
  /** True while the step waits for a person's approval. */
  readonly pending?: boolean;
  /** True once a call that must not run twice has begun to run. */
  readonly started?: boolean;
  /** JSON text. */
  readonly args?: string;
  /** At most 3,000 characters. */
  readonly result?: string;
  readonly connector?: string;
  /** Id of the step of a sub-agent's call that this step belongs to. */
  readonly parent?: string;
}

/** A piece of a step's `args`, appended to them. */
export interface StepArgFrame {
  readonly type: 'step_arg';
  readonly id: string;
  readonly delta: string;
}

/** A call of a tool by the model. */
export interface ToolCallFrame {
  readonly type: 'tool_call';
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

/** A reference to a web page. */
export interface Source {
  readonly title: string;
  readonly url: string;
  readonly snippet?: string;
}

/** The sources that an answer used. */
export interface SourcesFrame {
  readonly type: 'sources';
  readonly id: string;
  readonly sources: readonly Source[];
}

/** The actions of the page that an agent can request. */
export const UI_ACTIONS = ['open_canvas', 'suggest', 'ask', 'confirm', 'connect', 'open_plan_modal'] as const;

export type UiAction = (typeof UI_ACTIONS)[number];

/**
 * A request to the page to do something. It isn't part of the message. Pages ignore actions that they don't know.
 * Source: docs/contract/agent-api.md §2, the table of `ui` actions.
 */
export interface UiFrame {
  readonly type: 'ui';
  readonly action: UiAction | (string & Record<never, never>);
  readonly [field: string]: unknown;
}

/** The actions that wait for an answer of the person. They come back when the chat is read, until they are answered. */
export const CARD_ACTIONS: readonly string[] = ['confirm', 'ask', 'connect'] satisfies readonly UiAction[];

/** The maximum length of a step's `result`. Source: docs/contract/agent-api.md §2, the step's row. */
export const STEP_RESULT_CHARACTERS = 3_000;

/** A table with its rows so far. */
export interface TablePart {
  readonly type: 'table';
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A `ui` frame that waits for an answer of the person, as part of a stored message. */
export interface CardPart {
  readonly type: 'card';
  readonly card: UiFrame;
}

/** A decision on a call that waited for approval, as part of a stored message. */
export interface DecisionPart extends DecidedOn {
  readonly decision: 'approve' | 'deny' | 'always';
  /** Id of the person who decided. */
  readonly by: string;
  /** The person's name, where their token has one. */
  readonly by_name?: string;
  readonly reason?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Says that the approval of a call expired. Made when a chat is read, never stored. */
export interface ExpiredPart extends DecidedOn {
  readonly decision: 'expired';
}

/** The call that a decision is about. */
interface DecidedOn {
  readonly type: 'decision';
  /** The key of the approval. */
  readonly key: string;
  /** The tool's name; absent from decisions of earlier versions. */
  readonly tool?: string;
  /** Description of the call; absent when the person changed its arguments. */
  readonly label?: string;
}

/** A part of an assistant's message: the result of merging frames, as it is stored. */
export type Part =
  | TextFrame
  | ThinkingFrame
  | CodeFrame
  | TablePart
  | CalloutFrame
  | ImageFrame
  | StatusFrame
  | StepFrame
  | ToolCallFrame
  | SourcesFrame
  | CardPart
  | DecisionPart
  | ExpiredPart;
