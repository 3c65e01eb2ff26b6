import { isObject, type JsonObject } from './plain-schema.ts';

const KEYWORD = 'x-mcp-header';
const MAX_DEPTH = 4;

/**
 * Returns the part of a tool's input schema that names the arguments also sent as headers; undefined when there are
 * none. Source: MCP 2026-07-28, "Custom Headers from Tool Parameters".
 */
export function headerSchema(schema: unknown, depth = 0): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema['properties']) || depth > MAX_DEPTH) return undefined;
  const named = Object.entries(schema['properties']).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    if (typeof property[KEYWORD] === 'string') {
      return [[name, { type: property['type'], [KEYWORD]: property[KEYWORD] }] as const];
    }
    const inner = headerSchema(property, depth + 1);
    return inner ? [[name, inner] as const] : [];
  });
  return named.length > 0 ? { type: 'object', properties: Object.fromEntries(named) } : undefined;
}
