import { createHash } from 'node:crypto';
import { canonicalJson, safeLine, safeName, safeText, type ToolRisk } from '@berth/agent-core';
import type { ConnectorServer } from '../connector/connector.ts';
import { isObject, type JsonObject, plainSchema } from './plain-schema.ts';

/** A tool of an MCP server, sanitized for display and for models. */
export interface RemoteTool {
  /** The tool's name on the server. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly hints: ToolHints;
  /** Schema of the arguments that are also sent as headers. */
  readonly headers?: JsonObject;
  /** SHA-256 of the server's definition, hexadecimal. */
  readonly hash: string;
}

/** A server's hints about a tool. Source: MCP 2025-11-25, `ToolAnnotations`. */
export interface ToolHints {
  readonly isReadOnly?: boolean;
  readonly isDestructive?: boolean;
}

const HEADER_KEYWORD = 'x-mcp-header';
const MAX_HEADER_DEPTH = 4;
const MAX_TITLE = 80;
const MAX_DESCRIPTION = 2_000;

/**
 * Parses a tool's definition. Undefined for tools that can't be offered: without a plain name, without an object as
 * input schema, or that run as a task only, which the current protocol revision doesn't have.
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

/**
 * Returns the part of a tool's input schema that names the arguments also sent as headers; undefined when there are
 * none. Source: MCP 2026-07-28, "Custom Headers from Tool Parameters".
 */
function headerSchema(schema: unknown, depth = 0): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema['properties']) || depth > MAX_HEADER_DEPTH) return undefined;
  const named = Object.entries(schema['properties']).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    if (typeof property[HEADER_KEYWORD] === 'string') {
      return [[name, { type: property['type'], [HEADER_KEYWORD]: property[HEADER_KEYWORD] }] as const];
    }
    const inner = headerSchema(property, depth + 1);
    return inner ? [[name, inner] as const] : [];
  });
  return named.length > 0 ? { type: 'object', properties: Object.fromEntries(named) } : undefined;
}

const STRICTNESS: readonly ToolRisk[] = ['read', 'write', 'destructive'];

/**
 * Returns a tool's risk. A risk that the owner declared can be raised by the server's hints. Without a declaration the
 * protocol's defaults apply: a tool is destructive unless the server says otherwise. Until the owner trusts the
 * server's `readOnlyHint`, a read-only tool counts as `write`.
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
