import type { OwnerKey } from '@berth/agent-store';
import type { Logger } from '@berth/kit';
import type { Component } from '../handler/component.ts';
import type { Workspace } from '../handler/handler-context.ts';
import type { User } from '../identity/user.ts';
import type { ConnectorHandle } from './connector-handle.ts';
import type { ToolServices } from './tool-services.ts';

/** `read` changes nothing; `write` makes or changes what can be made again; `destructive` may lose something, or be seen outside. */
export type ToolRisk = 'read' | 'write' | 'destructive';

/** Something that a model may do. Made by `defineTool`. */
export interface Tool {
  /** `^[a-zA-Z0-9_-]{1,64}$`, as models take it. */
  readonly name: string;
  /** What a person's mode for it is kept under; its name by default. */
  readonly settingKey?: string;
  /** Name of the connector that it is of. */
  readonly connector?: string;
  readonly description: string;
  readonly risk: ToolRisk;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** SHA-256 of all of the above, hexadecimal: another tool of the same name has another one. */
  readonly definitionHash: string;
  /**
   * The hash of its definition as it is now where it is defined: asked before a call runs that was approved a while ago. Without
   * it `definitionHash` holds. Undefined: it is gone.
   * @throws ToolError when that can't be found out.
   */
  currentHash?(context: Omit<ToolContext, 'show'>): Promise<string | undefined>;
  /** A call that takes longer has failed. */
  readonly timeoutMs: number;
  /** Why it can't be used on this machine; models are then not offered it. */
  unavailable?(): Promise<string | undefined>;
  /** What a call does, for people, e.g. "Read notes.md". */
  label(args: Readonly<Record<string, unknown>>): string;
  /** What is wrong with the arguments, for the model; undefined when nothing is. */
  check(args: Readonly<Record<string, unknown>>): string | undefined;
  /** @throws ToolError, and whatever goes wrong. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
}

/** What a tool is given besides its arguments. */
export interface ToolContext extends ToolServices {
  readonly user: User | undefined;
  readonly ownerKey: OwnerKey;
  readonly workspace: Workspace;
  readonly chatId: string;
  /** Aborts at the end of the turn and of the tool's time. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Of tools that were declared with a connector. */
  readonly connector?: ConnectorHandle;
  /** Shows something to the person while the tool runs. */
  show(component: Component): void;
}

/** Thrown by a tool to tell the model what went wrong. The message of any other error is logged, and nobody else sees it. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
