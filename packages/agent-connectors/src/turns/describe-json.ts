import { isObject } from '../mcp/plain-schema.ts';

const MAX_NAMES = 20;

/** Describes the shape of a long JSON text for a model that will query it; undefined when the text isn't JSON. */
export function describeJson(text: string): { readonly shape: string; readonly pretty: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // One value per line, so that the file can be searched and read in parts.
    return { shape: shapeOf(value, 2), pretty: JSON.stringify(value, undefined, 1) };
  } catch {
    return undefined;
  }
}

/** Describes a value, e.g. "an object with items (a list of 3, each an object with id, title), total (a number)". */
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
