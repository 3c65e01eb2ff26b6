/**
 * What a model wrote as the arguments of a call, as the object that it must be; undefined when it isn't one. None at all
 * is an empty object: that is how calls without arguments arrive.
 */
export function parseToolArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON: no object either.
  }
  return undefined;
}
