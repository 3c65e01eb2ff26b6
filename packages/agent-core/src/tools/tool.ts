import type { OwnerKey } from '@berth/agent-store';
import type { Logger } from '@berth/kit';
import type { Component } from '../handler/component.ts';
import type { Workspace } from '../handler/handler-context.ts';
import type { User } from '../identity/user.ts';
import type { ConnectorHandle } from './connector-handle.ts';
import type { ToolServices } from './tool-services.ts';

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
  /** SHA-256 of all of the above, in hexadecimal; tells apart tools of the same name. */
  readonly definitionHash: string;
  /**
   * Returns the hash of the current definition at its origin, e.g. an MCP server; called before a call that was approved earlier
   * runs. Undefined when the tool no longer exists. Without this method `definitionHash` is current.
   * @throws ToolError when the origin can't be reached.
   */
  currentHash?(context: Omit<ToolContext, 'show'>): Promise<string | undefined>;
  /** A call that takes longer fails. */
  readonly timeoutMs: number;
  /** Returns why the tool can't be used on this machine; models are then not offered it. */
  unavailable?(): Promise<string | undefined>;
  /** Returns what a call does, for people, e.g. "Read notes.md". */
  label(args: Readonly<Record<string, unknown>>): string;
  /** Returns what is wrong with the arguments, for the model; undefined when they are valid. */
  check(args: Readonly<Record<string, unknown>>): string | undefined;
  /** Runs a call. @throws ToolError, and any other error. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): unknown;
}

/** What a tool receives besides its arguments. */
export interface ToolContext extends ToolServices {
  readonly user: User | undefined;
  readonly ownerKey: OwnerKey;
  readonly workspace: Workspace;
  readonly chatId: string;
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
