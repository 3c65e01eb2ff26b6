/** Returns `value` as JSON text; text that is JSON already stays as it is. Undefined stays undefined. */
export function jsonText(value: unknown): string | undefined {
  if (typeof value !== 'string') return JSON.stringify(value);
  try {
    JSON.parse(value);
    return value;
  } catch {
    return JSON.stringify(value);
  }
}
