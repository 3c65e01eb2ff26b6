import { createHash } from 'node:crypto';
import { canonicalJson, safeLine, safeName, safeText, type ToolRisk } from '@berth/agent-core';
import type { ConnectorServer } from '../connector/connector.ts';
import { headerSchema } from './header-schema.ts';
import { isObject, type JsonObject, plainSchema } from './plain-schema.ts';

/** A tool of an MCP server, made safe to show and to offer. */
export interface RemoteTool {
  /** The true one, by which it is called and set. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly hints: ToolHints;
  /** Which arguments are sent as headers too. */
  readonly headers?: JsonObject;
  /** SHA-256 of the definition as the server gave it, hexadecimal. */
  readonly hash: string;
}

/** What a server says of a tool. Source: MCP 2025-11-25, `ToolAnnotations`. */
export interface ToolHints {
  readonly isReadOnly?: boolean;
  readonly isDestructive?: boolean;
}

const MAX_TITLE = 80;
const MAX_DESCRIPTION = 2_000;

/**
 * Undefined for what can't be offered: without a plain name, without the schema of an object, or only to be run as a task, of
 * which the current revision knows nothing.
 */
export function parseRemoteTool(definition: unknown): RemoteTool | undefined {
  if (!isObject(definition)) return undefined;
  const name = safeName(definition['name']);
  const inputSchema = plainSchema(definition['inputSchema']);
  const { execution } = definition;
  const isTask = isObject(execution) && execution['taskSupport'] === 'required';
  if (name === undefined || !inputSchema || isTask) return undefined;
  const annotations = isObject(definition['annotations']) ? definition['annotations'] : {};
  const { readOnlyHint, destructiveHint } = annotations as Record<string, unknown>;
  const { title, description, inputSchema: schema } = definition;
  const headers = headerSchema(schema);
  return {
    name,
    title: safeLine(title, MAX_TITLE) || safeLine(annotations['title'], MAX_TITLE) || name,
    description: safeText(description, MAX_DESCRIPTION),
    inputSchema,
    hints: {
      ...(typeof readOnlyHint === 'boolean' && { isReadOnly: readOnlyHint }),
      ...(typeof destructiveHint === 'boolean' && { isDestructive: destructiveHint }),
    },
    ...(headers && { headers }),
    hash: createHash('sha256').update(canonicalJson({ name, title, description, schema, annotations })).digest('hex'),
  };
}

const STRICTNESS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/**
 * How dangerous a tool is. What the owner said of it, made stricter by what the server says. Of one that the owner says
 * nothing of, what the protocol's defaults mean: it destroys, unless its server says that it does not. A server's word that a
 * tool only reads counts as "it only adds", until the owner trusts it.
 */
export function riskOf({ name, hints }: Pick<RemoteTool, 'name' | 'hints'>, server: ConnectorServer): ToolRisk {
  const declared = Object.hasOwn(server.risks, name) ? server.risks[name] : undefined;
  const hinted: ToolRisk = hints.isDestructive ? 'destructive' : hints.isReadOnly === false ? 'write' : 'read';
  if (declared !== undefined) return stricter(declared, hinted);
  if (hints.isReadOnly) return stricter(server.isReadOnlyTrusted ? 'read' : 'write', hinted);
  return hints.isDestructive === false ? 'write' : 'destructive';
}

function stricter(one: ToolRisk, other: ToolRisk): ToolRisk {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;
}
