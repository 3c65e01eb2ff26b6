import { z } from '@hono/zod-openapi';

/** Body of `POST /v1/user/token`. */
export const createAgentTokenRequestSchema = z
  .object({ deployment: z.string().min(1).openapi({ description: 'Name of the deployment that the token is for' }) })
  .openapi('CreateAgentTokenRequest');

export type CreateAgentTokenRequest = z.input<typeof createAgentTokenRequestSchema>;

/** Response of `POST /v1/user/token`. */
export const agentTokenSchema = z
  .object({ token: z.string(), token_type: z.literal('Bearer'), expires_at: z.iso.datetime() })
  .openapi('AgentToken');

export type AgentToken = z.infer<typeof agentTokenSchema>;
