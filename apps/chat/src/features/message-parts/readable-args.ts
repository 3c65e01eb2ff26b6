/** Formats the arguments of a tool call, an object or JSON text, as indented JSON. Returns '' for undefined. */
export function readableArgs(args: unknown): string {
  if (args === undefined) return '';
  if (typeof args !== 'string') return JSON.stringify(args, null, 2);
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // The JSON is incomplete while the arguments stream.
    return args;
  }
}
