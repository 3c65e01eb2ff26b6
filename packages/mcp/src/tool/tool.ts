import type { Client } from '@berth/client';
import type { Clock } from '@berth/kit';
import type { z } from 'zod';

/** An archive of a folder on the machine of the person, and its name. */
export interface LocalArchive extends AsyncDisposable {
  readonly archive: Blob;
  /** The deployment's name from `berth.json`, `package.json` or the folder. */
  readonly name: string;
  /** The text of the folder's `berth.json`; undefined without one. */
  readonly berthJson: string | undefined;
}

/** The access of tools to the platform, with the permissions of one caller. */
export interface ToolAccess {
  readonly client: Client;
  /** Fetches a signed URL of an object. */
  readonly transfer: (url: string, init: RequestInit) => Promise<Response>;
  /** Packs a folder on the machine of the person; absent where tools can't reach it. */
  readonly packFolder?: ((folder: string, signal: AbortSignal) => Promise<LocalArchive>) | undefined;
}

/** The context of a tool call. */
export interface ToolContext extends ToolAccess {
  readonly clock: Clock;
  /** Aborts when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress to clients that asked for it. */
  report(message: string): Promise<void>;
}

/** The result of a tool: its fields, and what to say when the call failed nevertheless. */
export interface ToolResult<Output> {
  readonly fields: Output;
  /** Why the operation failed, and what to do next. */
  readonly failure?: string | undefined;
}

/** A tool of the platform. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `read` changes nothing; `write` adds; `destructive` can replace or remove what exists. */
  readonly effect: 'read' | 'write' | 'destructive';
  /** True when repeating a call with the same input changes nothing more. Tools that read are. */
  readonly isIdempotent: boolean;
  /** True for tools that need {@link ToolAccess.packFolder}. */
  readonly isLocal: boolean;
  run(input: never, context: ToolContext): Promise<ToolResult<unknown>>;
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly effect: Tool['effect'];
  readonly isIdempotent?: boolean;
  readonly isLocal?: boolean;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolResult<z.input<Output>>>;
}

/** Defines a tool whose handler gets the validated input, typed. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  name: string,
  { isIdempotent, isLocal = false, ...definition }: ToolDefinition<Input, Output>,
): Tool {
  return { name, isLocal, isIdempotent: isIdempotent ?? definition.effect === 'read', ...definition } as Tool;
}
