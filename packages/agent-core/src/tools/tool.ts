import type { AppDataStore, OwnerKey } from '@berth/agent-store';
import type { Memory, MemoryScope } from '@berth/contract/agent';
import type { Logger } from '@berth/kit';
import type { Component, ModelTool, Workspace } from '../handler/handler-context.ts';
import type { User } from '../identity/user.ts';

/** `read` changes nothing; `write` creates or changes what can be restored; `destructive` may lose data or be seen by others. */
export type ToolRisk = 'read' | 'write' | 'destructive';

/** A function that a model may call. Created by `defineTool`. */
export interface Tool {
  /** `^[a-zA-Z0-9_-]{1,64}$`, the form that models accept. */
  readonly name: string;
  /** The key under which a person's mode for the tool is stored; its name by default. */
  readonly settingKey?: string;
  /** Name of the connector that the tool belongs to. */
  readonly connector?: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** SHA-256 of all of the above, in hexadecimal; distinguishes tools of the same name. */
  readonly definitionHash: string;
  /**
   * Returns the hash of the current definition at its origin, e.g. an MCP server; called before a call that was approved earlier
   * runs. Undefined when the tool no longer exists. Without this method `definitionHash` is current.
   * @throws ToolError when the origin can't be reached.
   */
  currentHash?(context: Omit<ToolContext, 'show' | 'callId'>): Promise<string | undefined>;
  /** A call that takes longer fails. */
  readonly timeoutMs: number;
  /**
   * True when a call may run twice without harm. A call that was running when its process ended runs again then; of any other
   * call the model is told that it may have run. By default true for tools of risk `read`.
   */
  readonly isIdempotent?: boolean;
  /** Returns why the tool can't be used on this machine; models are then not offered it. */
  unavailable?(): Promise<string | undefined>;
  /** Returns what a call does, for people, e.g. "Read notes.md". */
  label(args: Readonly<Record<string, unknown>>): string;
  /** Returns what is wrong with the arguments, for the model; undefined when they are valid. */
  check(args: Readonly<Record<string, unknown>>): string | undefined;
  /** Tools that calls of this tool may run in turn, e.g. those of a sub-agent. */
  readonly tools?: readonly Tool[];
  /** Runs a call. @throws ToolError, and any other error. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
}

/** True when a call of the tool may run twice without harm. */
export function isRepeatable({ isIdempotent, risk }: Pick<Tool, 'isIdempotent' | 'risk'>): boolean {
  return isIdempotent ?? risk === 'read';
}

/** Context of a tool besides its arguments. */
export interface ToolContext extends ToolServices {
  readonly user: User | undefined;
  readonly ownerKey: OwnerKey;
  readonly workspace: Workspace;
  readonly chatId: string;
  /** Id of the call, unique in its chat, and of the step that shows it. */
  readonly callId: string;
  /** Aborts when the turn ends and when the tool's time is up. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The connector of a tool that was declared with one. */
  readonly connector?: ConnectorHandle;
  /** Shows a component to the person while the tool runs. */
  show(component: Component): void;
}

/** An error whose message the model reads. The messages of other errors are only logged. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The stores that tools may use; undefined for callers who did not sign in, for whom nothing is kept. */
export interface ToolServices {
  /** The person's workspace. */
  readonly files: ToolFiles | undefined;
  readonly appData: AppDataStore | undefined;
  readonly memory: ToolMemory | undefined;
  /** Absolute path of the skills that the agent was shipped with; undefined without. */
  readonly skillsFolder?: string | undefined;
}

/** A connector in the owner's own tools: they call its API and never see the credential. */
export interface ConnectorHandle {
  readonly name: string;
  /**
   * Calls the API with the caller's credential.
   * @param path below the API's base address, without a leading slash; may have a query.
   * @throws `bad_request` for a path that leaves the base; NotConnected without a working credential; `unavailable`.
   */
  fetch(path: string, request?: ConnectorRequest): Promise<Response>;
}

export interface ConnectorRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/**
 * Memories of the person in this workspace (`person`), and of the team (`team`). Each call throws `invalid` for the
 * scope `team` in a personal workspace.
 */
export interface ToolMemory {
  /** Returns the person's memories, then the team's; the oldest first. */
  list(): Promise<readonly Memory[]>;
  /** Remembers a text: one line of at most 500 characters. @throws `conflict` when the scope has 50 memories. */
  add(text: string, scope: MemoryScope): Promise<Memory>;
  /** Replaces the text of a memory. @throws `not_found` */
  change(id: string, text: string): Promise<Memory>;
  /** Erases a memory. @throws `not_found` */
  remove(id: string): Promise<void>;
  /** Erases all memories of a scope; returns how many there were. */
  erase(scope: MemoryScope): Promise<number>;
}

/** An entry of a folder of a workspace. */
interface ToolFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly type: 'file' | 'directory';
  readonly size: number;
}

/**
 * A person's workspace as tools see it. Paths are relative to it. Each call throws `forbidden` for a path that leads out of the
 * workspace or into a reserved folder, and `invalid` for a text that is no path.
 */
export interface ToolFiles {
  /** Absolute path of the folder, for programs in a sandbox. */
  readonly folder: string;
  /** Creates the folder if it is missing. */
  ensureFolder(): Promise<void>;
  /** Reads at most `maxBytes`; undefined when there is no such file. */
  read(path: string, maxBytes: number): Promise<{ readonly bytes: Buffer; readonly sizeBytes: number } | undefined>;
  /** Writes a file atomically; creates missing parent folders. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Lists a folder ('' is the workspace), with `recursive` all below it; leaves hidden entries out. */
  list(path: string, options: { readonly recursive: boolean }): Promise<readonly ToolFile[]>;
  /** Moves an entry to the trash, where the person can restore it. */
  remove(path: string): Promise<void>;
}

/** `hide`: the model is not offered the tool; `ask`: a person approves each call; `run`: calls run at once. */
export type ToolDecision = 'hide' | 'ask' | 'run';

/** The tools that a model is offered in one turn. */
export interface OfferedTools {
  find(name: string): { readonly tool: Tool; readonly decision: Exclude<ToolDecision, 'hide'> } | undefined;
  readonly names: readonly string[];
  /** The tools as the request to the model lists them. */
  readonly list: readonly ModelTool[];
}
