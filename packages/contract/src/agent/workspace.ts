import { z } from '@hono/zod-openapi';

/** Source: spec agent-api 7. */
export const workspaceRoleSchema = z.enum(['owner', 'admin', 'editor']);

export type WorkspaceRole = z.infer<typeof workspaceRoleSchema>;
