import { z } from '@hono/zod-openapi';

/** The modes of a tool. */
export const TOOL_MODES = ['allow', 'ask', 'never'] as const;

/**
 * A tool's mode: run without approval, ask for approval, or never offer to the model. Source: docs/contract/agent-api.md §2,
 * "Approvals".
 */
export const toolModeSchema = z.enum(TOOL_MODES).openapi('ToolMode');

export type ToolMode = z.infer<typeof toolModeSchema>;

/** The name of a tool as models see it, including connector tools. */
export const toolNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'the name of a tool: 1 to 128 of A-Z a-z 0-9 _ . : -')
  .openapi({ example: 'write_file' });

/** Body of `PUT /tools/{tool}`. */
export const putToolModeSchema = z.object({ mode: toolModeSchema }).openapi('PutToolMode');

/** Response of `GET /tools`: the modes that the person chose. Source: docs/contract/agent-api.md §9. */
export const toolModesSchema = z.record(z.string(), toolModeSchema).openapi('ToolModes');

/** A tool of the agent, with the caller's settings. */
export const ownToolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    /**
     * `read` changes nothing; `write` makes changes that can be undone or repeated; `destructive` may lose data or act
     * outside.
     */
    risk: z.enum(['read', 'write', 'destructive']),
    /** The mode in effect. */
    mode: toolModeSchema,
    /** False when the mode is the default for the tool's risk. */
    is_chosen: z.boolean(),
    /** False when the tool can't be used on the agent's machine and isn't offered. */
    is_available: z.boolean(),
  })
  .openapi('OwnTool');

export type OwnTool = z.infer<typeof ownToolSchema>;

/** Response of `GET /tools/offered`. */
export const ownToolsSchema = z.array(ownToolSchema).openapi('OwnTools');
