import { z } from '@hono/zod-openapi';

/** Colors of the page and the link preview image: `#rgb` or `#rrggbb`. */
export const agentColorsSchema = z
  .object({ primary: z.string(), background: z.string(), text: z.string() })
  .openapi('AgentColors');

/** How a page signs people in: at an OpenID provider as its public client, or with a token that is no secret. */
export const agentSignInSchema = z
  .union([
    z.object({
      issuer: z.string().openapi({ description: 'Its discovery document is at /.well-known/openid-configuration' }),
      client_id: z.string(),
      scope: z.string(),
      resource: z.string().optional().openapi({
        description: 'Sent to the authorization and token endpoints: the API that tokens are for (RFC 8707)',
      }),
      parameters: z
        .record(z.string(), z.string())
        .optional()
        .openapi({ description: 'Added to the authorization request' }),
    }),
    z.object({ token: z.string().openapi({ description: 'For development: all callers are the same person' }) }),
  ])
  .openapi('AgentSignIn');

export type AgentSignIn = z.infer<typeof agentSignInSchema>;

/** Response of `GET /config`: an agent's public configuration for pages. Source: docs/contract/agent-api.md §3. */
export const agentConfigSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string().optional(),
    prod: z.boolean(),
    auth: z.boolean().openapi({ description: 'Whether callers need a token; without one, nothing is stored' }),
    voice: z.boolean().openapi({ description: 'Whether POST /transcribe has a service behind it' }),
    suggestions: z.array(z.string()).optional().openapi({ description: 'Absent when there are none' }),
    max_upload: z.number().openapi({ description: 'Megabytes (2^20 bytes) of one upload' }),
    workspaces: z.enum(['member', 'admin']).nullable(),
    connectors: z.boolean(),
    memory: z.boolean().openapi({ description: 'Whether the agent remembers across chats' }),
    titles: z
      .boolean()
      .optional()
      .openapi({ description: 'Whether the model writes the title of a chat after its first answer' }),
    explore_enabled: z.boolean(),
    examples_enabled: z.boolean(),
    colors: agentColorsSchema,
    favicon: z.string(),
    og: z.string(),
    seo: z.object({ title: z.string(), description: z.string(), indexed: z.boolean() }),
    sign_in: agentSignInSchema.nullable(),
  })
  .openapi('AgentConfig');

export type AgentConfig = z.infer<typeof agentConfigSchema>;

/** Response of `GET /explore`: other agents. */
export const exploreSchema = z
  .object({
    agents: z.array(
      z.object({
        slug: z.string(),
        title: z.string(),
        description: z.string(),
        icon_svg: z.string().optional(),
        link: z.string(),
      }),
    ),
  })
  .openapi('Explore');

export type ExploreAgent = z.infer<typeof exploreSchema>['agents'][number];

/** Response of `GET /examples`: shared conversations, by category. */
export const examplesSchema = z
  .object({
    categories: z.array(
      z.object({
        label: z.string(),
        items: z.array(
          z.object({
            share: z.string().openapi({ description: 'Path of the share’s page' }),
            title: z.string(),
            prompt: z.string(),
            file: z.string().nullable().openapi({ description: 'Path of the first file of the share' }),
          }),
        ),
      }),
    ),
  })
  .openapi('Examples');

export type Examples = z.infer<typeof examplesSchema>;
