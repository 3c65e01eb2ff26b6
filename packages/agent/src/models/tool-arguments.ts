/**
 * Parses the arguments of a call; undefined when they are no JSON object. An empty text is an empty object, which is how calls
 * without arguments arrive.
 */
export function parseToolArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Invalid JSON counts as no object.
  }
  return undefined;
}
