import { z } from '@hono/zod-openapi';
import { flagSchema } from './flag.ts';
import { toolModeSchema } from './tool-setting.ts';

/** The kinds of connectors: an MCP server, an API with OAuth, or an API with a key. */
export const CONNECTOR_KINDS = ['mcp', 'oauth', 'key'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

/** The ways to connect: not needed, sign-in, or key. */
export const CONNECTOR_AUTHS = ['none', 'oauth', 'key'] as const;

/** The owners whose credentials a connector accepts. */
export const CONNECTOR_SCOPES = ['user', 'workspace', 'either'] as const;
export type ConnectorScope = (typeof CONNECTOR_SCOPES)[number];

/** The owners of a credential: the person or the workspace. */
export const GRANT_SCOPES = ['user', 'workspace'] as const;
/** The owner of a credential. */
export const grantScopeSchema = z.enum(GRANT_SCOPES);
export type GrantScope = z.infer<typeof grantScopeSchema>;

/** The pattern of a connector's name. */
export const CONNECTOR_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Text, or texts by language (`{ en: …, ar: … }`), of which a page shows the reader's. */
export const localTextSchema = z
  .union([z.string(), z.record(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/), z.string())])
  .openapi('LocalText');

/** Row of `GET /connectors`. Source: docs/contract/agent-api.md §8. */
export const connectorSchema = z
  .object({
    name: z.string(),
    kind: z.enum(CONNECTOR_KINDS),
    scope: z.enum(CONNECTOR_SCOPES),
    /** How to connect it: not needed, by sign-in (`authorize`), or with a key. */
    auth: z.enum(CONNECTOR_AUTHS),
    title: localTextSchema,
    description: localTextSchema,
    /** SVG markup, or a path below `/public/`. */
    icon: z.string().optional(),
    /** True when a credential is available for calls. */
    connected: z.boolean(),
    /** Owner of that credential; null when there is none. */
    connected_as: grantScopeSchema.nullable(),
    /** True when the stored credential has expired or was rejected: the person has to connect again. */
    expired: z.boolean().optional(),
    /** Origin of the MCP server or API, such as `https://mcp.example.com`. */
    url: z.string().optional(),
    /** False when the caller excludes the connector from turns. */
    on: z.boolean(),
    /** True when the organization allows the connector. */
    allowed: z.boolean(),
    /** True when the connector is enabled in the workspace. */
    enabled: z.boolean(),
    /** True when the caller may manage the workspace's connection. */
    admin: z.boolean(),
  })
  .openapi('Connector');

export type ConnectorRow = z.infer<typeof connectorSchema>;

/** Query of `GET /connectors/{name}/tools`. */
export const connectorToolsQuerySchema = z.object({
  fresh: flagSchema.optional().openapi({ description: 'From the server itself; 503 if it can’t be reached' }),
});

/** Row of `GET /connectors/{name}/tools`. */
export const connectorToolSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    /** False for a read-only tool. */
    writes: z.boolean(),
    /** The mode that the person chose; by default `ask` or `allow`, depending on the tool's risk. */
    mode: toolModeSchema,
  })
  .openapi('ConnectorTool');

/** Row of `GET /connectors/{name}/prompts`. */
export const connectorPromptSchema = z
  .object({ name: z.string(), title: z.string(), description: z.string() })
  .openapi('ConnectorPrompt');

/** Body of `PUT /connectors/{name}/key`. */
export const putConnectorKeySchema = z
  .object({
    key: z.string(),
    scope: grantScopeSchema.optional(),
    /** The API's address, for connectors whose address is the person's own. */
    endpoint: z.string().optional(),
  })
  .openapi('PutConnectorKey');

export type PutConnectorKey = z.infer<typeof putConnectorKeySchema>;

/** Body of `PATCH /connectors/{name}`. At least one field is required. */
export const patchConnectorSchema = z
  .object({
    /** The setting of the caller. */
    on: z.boolean().optional(),
    /** The setting of the organization, for its admins. */
    allowed: z.boolean().optional(),
    /** The setting of the workspace, for its owner and admins. */
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'give on, allowed or enabled')
  .openapi('PatchConnector');

/** The response to a change of a connector: the changed row. */
export const connectorChangedSchema = connectorSchema.extend({ ok: z.literal(true) }).openapi('ConnectorChanged');

/** The name that a connector's server gives a tool. */
export const connectorToolNameSchema = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}]{1,128}$/u, 'the name of a tool: 1 to 128 characters, none of them invisible')
  .openapi({ example: 'create_issue' });

/** The tool name under which the mode of calls to `/connectors/{name}/fetch/` is set. */
export const FETCH_TOOL = 'fetch';
