import { isObject, type JsonObject } from './plain-schema.ts';

const KEYWORD = 'x-mcp-header';
const MAX_DEPTH = 4;

/**
 * Of a tool's input the part that says which arguments are sent as headers too; undefined when none is. Source: MCP 2026-07-28,
 * "Custom Headers from Tool Parameters".
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
