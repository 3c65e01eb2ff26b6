import { z } from '@hono/zod-openapi';
import { toolModeSchema } from './tool-setting.ts';

export const CONNECTOR_KINDS = ['mcp', 'oauth', 'key'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

export const CONNECTOR_AUTHS = ['none', 'oauth', 'key'] as const;

/** Whose credential a connector takes. */
export const CONNECTOR_SCOPES = ['user', 'workspace', 'either'] as const;
export type ConnectorScope = (typeof CONNECTOR_SCOPES)[number];

/** Whose a credential is: the person's own, or the workspace's. */
export const GRANT_SCOPES = ['user', 'workspace'] as const;
export const grantScopeSchema = z.enum(GRANT_SCOPES);
export type GrantScope = z.infer<typeof grantScopeSchema>;

export const CONNECTOR_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Row of `GET /connectors`. Source: docs/contract/agent-api.md §8. */
export const connectorSchema = z
  .object({
    name: z.string(),
    kind: z.enum(CONNECTOR_KINDS),
    scope: z.enum(CONNECTOR_SCOPES),
    /** What connects it: nothing, a sign-in (`authorize`), or a key. */
    auth: z.enum(CONNECTOR_AUTHS),
    title: z.string(),
    description: z.string(),
    /** An SVG as text, or a path below `/public/`. */
    icon: z.string().optional(),
    /** A call would find a credential. */
    connected: z.boolean(),
    /** Whose it is. */
    connected_as: grantScopeSchema.nullable(),
    /** False: the caller keeps it out of turns. */
    on: z.boolean(),
    /** The organisation allows it. */
    allowed: z.boolean(),
    /** The workspace has it. */
    enabled: z.boolean(),
    /** The caller manages the workspace's connection. */
    admin: z.boolean(),
  })
  .openapi('Connector');

export type ConnectorRow = z.infer<typeof connectorSchema>;

/** Row of `GET /connectors/{name}/tools`. */
export const connectorToolSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    /** False: it changes nothing. */
    writes: z.boolean(),
    /** What the person chose; `ask` or `allow` by the tool's risk when nothing was. */
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
    /** For connectors that take the person's own address. */
    endpoint: z.string().optional(),
  })
  .openapi('PutConnectorKey');

export type PutConnectorKey = z.infer<typeof putConnectorKeySchema>;

/** Body of `PATCH /connectors/{name}`: at least one. */
export const patchConnectorSchema = z
  .object({
    /** The caller's own switch. */
    on: z.boolean().optional(),
    /** The organisation's, for its admins. */
    allowed: z.boolean().optional(),
    /** The workspace's, for its managers. */
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'give on, allowed or enabled')
  .openapi('PatchConnector');

/** What a change of a connector answers with: the row as it is now. */
export const connectorChangedSchema = connectorSchema.extend({ ok: z.literal(true) }).openapi('ConnectorChanged');

/** A tool of a connector, as its server calls it. */
export const connectorToolNameSchema = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}]{1,128}$/u, 'the name of a tool: 1 to 128 characters, none of them invisible')
  .openapi({ example: 'create_issue' });

/** What stands for `/connectors/{name}/fetch/` where modes of tools are set. */
export const FETCH_TOOL = 'fetch';
