import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../text/canonical-json.ts';
import { safeLine } from '../text/safe-text.ts';
import type { Tool, ToolContext, ToolRisk } from './tool.ts';

/** The options of `defineTool`. */
export interface ToolDefinition<Input extends z.ZodType> {
  /** `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** For the model: what the tool does, when to use it, what it returns. */
  readonly description: string;
  /** `write` by default: a tool that declares nothing is not assumed harmless. */
  readonly risk?: ToolRisk;
  /** A Zod object. */
  readonly input: Input;
  /** 2 minutes by default. */
  readonly timeoutMs?: number;
  /**
   * True when a call may run twice without harm, e.g. because it sets a value, or sends an idempotency key. Such a call runs
   * again when its process ended before its result was recorded; of any other call the model is told that it may have run. By
   * default true for tools of risk `read`; false opts one of those out.
   */
  readonly isIdempotent?: boolean;
  /** Returns why the tool can't be used on this machine; models are then not offered it. Called at each turn. */
  unavailable?(): Promise<string | undefined>;
  /** Returns what a call does, for people; the tool's name by default. */
  label?(input: z.output<Input>): string;
  /** Runs a call. The model receives the return value: text as it is, anything else as JSON. */
  run(input: z.output<Input>, context: ToolContext): unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const TIMEOUT_MS = 120_000;
const MAX_LABEL = 200;

/**
 * Creates a tool.
 * @throws RangeError for a name that models don't accept, or an input that is no object.
 */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { name, description, risk = 'write', input, timeoutMs = TIMEOUT_MS } = definition;
  if (!NAME.test(name)) {
    throw new RangeError(`"${name}" is not a tool name: 1 to 64 of A-Z a-z 0-9 _ -.`);
  }
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  if (inputSchema.type !== 'object') throw new RangeError(`The input of ${name} must be a z.object({ … }).`);
  return {
    name,
    description,
    risk,
    inputSchema,
    timeoutMs,
    definitionHash: createHash('sha256').update(canonicalJson({ name, description, risk, inputSchema })).digest('hex'),
    ...(definition.isIdempotent !== undefined && { isIdempotent: definition.isIdempotent }),
    ...(definition.unavailable && { unavailable: definition.unavailable }),
    label(args) {
      const parsed = input.safeParse(args);
      // The label contains arguments from a model, which must not make it look like another call.
      return safeLine(parsed.success ? definition.label?.(parsed.data) : name, MAX_LABEL) || name;
    },
    check(args) {
      const parsed = input.safeParse(args);
      return parsed.success ? undefined : z.prettifyError(parsed.error);
    },
    run: (args, context) => definition.run(input.parse(args), context),
  };
}
