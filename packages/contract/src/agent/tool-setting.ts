import { z } from '@hono/zod-openapi';

export const TOOL_MODES = ['allow', 'ask', 'never'] as const;

/** What a person decided about a tool: it runs, it asks first, or it is not offered. Source: docs/contract/agent-api.md §2, "Approvals". */
export const toolModeSchema = z.enum(TOOL_MODES).openapi('ToolMode');

export type ToolMode = z.infer<typeof toolModeSchema>;

/** Names of tools as models take them, those of connectors included. */
export const toolNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'the name of a tool: 1 to 128 of A-Z a-z 0-9 _ . : -')
  .openapi({ example: 'write_file' });

/** Body of `PUT /tools/{tool}`. */
export const putToolModeSchema = z.object({ mode: toolModeSchema }).openapi('PutToolMode');

/** Body of `GET /tools`: only what the person chose. Source: docs/contract/agent-api.md §9. */
export const toolModesSchema = z.record(z.string(), toolModeSchema).openapi('ToolModes');

/** A tool that the agent's owner gave it, as it is for the person who asks. */
export const ownToolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    /** `read` changes nothing; `write` makes or changes what can be made again; `destructive` may lose something, or be seen outside. */
    risk: z.enum(['read', 'write', 'destructive']),
    /** What happens when the agent wants it. */
    mode: toolModeSchema,
    /** False where nothing was decided: it does as its risk says. */
    is_chosen: z.boolean(),
    /** False where it can't be used on the agent's machine, and so is not offered. */
    is_available: z.boolean(),
  })
  .openapi('OwnTool');

export type OwnTool = z.infer<typeof ownToolSchema>;

/** Answer of `GET /tools/offered`. */
export const ownToolsSchema = z.array(ownToolSchema).openapi('OwnTools');
