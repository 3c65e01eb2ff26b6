import type { OwnerKey } from '@berth/agent-store';
import type {
  Attachment,
  CompletionFinishReason,
  ComponentFrame,
  InputPart,
  Part,
  RunStatus,
  StepFrame,
  UiFrame,
} from '@berth/contract/agent';
import type { Logger } from '@berth/kit';
import type { User } from '../identity/user.ts';
import type { ActiveWorkspace } from '../identity/workspace-access.ts';

/** Usage of one model call. A turn sums its calls. */
export interface Usage {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  /** US dollars; absent when the cost is unknown. */
  readonly costUsd?: number;
  /** True when the tokens are an estimate. */
  readonly isEstimated?: boolean;
}

/** Options of one turn, from the request's body. Source: docs/contract/agent-api.md §2. */
export interface TurnOptions {
  readonly disabledTools: readonly string[];
  /** Keys of approvals given with the message, for this turn only. */
  readonly approvals: readonly string[];
  /** False: every write asks for approval. */
  readonly auto: boolean;
  readonly connectors: readonly string[];
  /** The form that a program asked the answer to have, with `agent.run({ output })`. The loop follows it; return `output` from a handler of your own. */
  readonly output?: OutputFormat;
  /** Set for `POST /chat/completions`. The loop offers its tools, and does not say how an answer ended: the response does. */
  readonly client?: ClientTurn;
}

/** A tool as the request to a model describes it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A program that called `POST /chat/completions`: it reads text, and runs tools of its own. */
export interface ClientTurn {
  /** Tools that the model may call, and the program runs. */
  readonly tools: readonly ModelTool[];
  /** Whether the model calls tools in its first step; `auto` by default. */
  readonly toolChoice?: 'auto' | 'required' | { readonly tool: string };
}

/** The form of a structured answer: one JSON object. */
export interface OutputFormat<Output = unknown> {
  /** For the model; `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** JSON Schema of an object; undefined for any JSON object. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Every object of the schema lists all its properties as required, and allows no others. */
  readonly isStrict?: boolean;
  /** Returns the value of an answer's text, or what is wrong with it, for the model. */
  parse(text: string): { readonly value: Output } | { readonly problem: string };
}

/** Context of a handler. */
export interface HandlerContext {
  /** The conversation, oldest first; the last message is the one to answer. */
  readonly messages: readonly TurnMessage[];
  /** Undefined without `auth`. */
  readonly user: User | undefined;
  /** The key of the user's data inside the workspace, e.g. chats; empty without `auth`. */
  readonly ownerKey: OwnerKey;
  readonly chatId: string;
  readonly runId: string;
  readonly workspace: Workspace;
  /** Aborts on stop, on a dropped connection, when the time is up and at shutdown. Pass it to every call that waits. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly turn: TurnOptions;
  /** Progress of a turn that continues after its process ended or a person decided; else undefined. */
  readonly resumed?: ResumedTurn;
  /**
   * Resolves when everything that was yielded before is durable. Await it before an act that must not be done twice.
   * @throws the signal's reason when the turn has ended: the act must not be done then.
   */
  saved(): Promise<void>;
  /** Adds what a call of a model used to the turn: to the chat's cost, and to the usage line in the log. */
  reportUsage(usage: Usage): void;
  /**
   * Call it before each call of a model. The loop does.
   * @throws BudgetUsed when a budget of the turn, of the person or of the month is used up; let it end the turn.
   */
  checkBudget(): Promise<void>;
}

/** Progress of a turn before it continues. */
export interface ResumedTurn {
  /**
   * `restart`: the process that produced the turn ended. `decision`: a person decided on calls that waited for approval.
   * `connection`: a person connected the connector that a call needed.
   */
  readonly reason: 'restart' | 'decision' | 'connection';
  /** The parts of the answer so far. Items that the handler yields are added to them; a step with the `id` of one of them updates it. */
  readonly parts: readonly Part[];
}

/** The workspace that the caller works in, with the folder of its files. */
export interface Workspace extends ActiveWorkspace {
  /** Absolute path. The folder is created on the first write. */
  readonly folder: string;
}

/** Return value of a handler. */
export interface TurnResult<Output = unknown> {
  /** The structured answer; see `TurnOptions.output`. */
  readonly output?: Output;
  /** Messages for the model in later turns, never shown, e.g. a summary of what came before. */
  readonly internal?: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[];
  /** Why the answer ended; `stop` by default. Programs that call `POST /chat/completions` read it. */
  readonly finishReason?: CompletionFinishReason;
  /** Calls of the tools in `TurnOptions.client`; `args` is JSON text. */
  readonly clientCalls?: readonly { readonly id: string; readonly tool: string; readonly args: string }[];
}

/**
 * Answers a turn. A handler may return early, throw (the caller sees a reference, the log has the error), or run until its
 * signal aborts. A return value that is no {@link TurnResult} is ignored.
 */
export type Handler = (context: HandlerContext) => AsyncIterable<HandlerItem, unknown> | Iterable<HandlerItem, unknown>;

/** A component that a handler may yield besides text, as an object or from a function such as `callout()`. */
export type Component =
  | Exclude<ComponentFrame, StepFrame>
  /** `args` is any JSON value; it is sent as JSON text. */
  | (Omit<StepFrame, 'args'> & { readonly args?: unknown })
  | UiFrame;

/** An item that a handler yields: text or a component. Empty text, undefined and null are dropped. */
export type HandlerItem = string | Component | undefined | null;

/** A message of the conversation, as a handler receives it. */
export interface TurnMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** The text; for an assistant its parts as markdown. */
  readonly content: string | readonly InputPart[];
  /** The assistant's components, from the server's own record and never from a client's claim. */
  readonly parts?: readonly Part[];
  readonly attachments?: readonly Attachment[];
  /** How an assistant's turn ended, when it did not complete; the content is then partial. */
  readonly status?: Exclude<RunStatus, 'running' | 'done'>;
  /** True for messages that only the model sees. */
  readonly isInternal?: boolean;
}
