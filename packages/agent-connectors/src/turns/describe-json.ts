import { isObject } from '../mcp/plain-schema.ts';

const MAX_NAMES = 20;

/** What a long JSON is, in words for whoever has to query it; undefined for what is none. */
export function describeJson(text: string): { readonly shape: string; readonly pretty: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // A line for each value, so that it can be searched and read in parts.
    return { shape: shapeOf(value, 2), pretty: JSON.stringify(value, undefined, 1) };
  } catch {
    return undefined;
  }
}

/** "an object with items (a list of 3, each an object with id, title), total (a number)" */
function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}, the first ${shapeOf(value[0], depth)}`;
  }
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value);
  const told = names.slice(0, MAX_NAMES).map((name) => {
    const plain = JSON.stringify(name.slice(0, 60));
    return depth > 0 ? `${plain} (${shapeOf(value[name], depth - 1)})` : plain;
  });
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return names.length === 0 ? 'an empty object' : `an object with ${told.join(', ')}${more}`;
}
