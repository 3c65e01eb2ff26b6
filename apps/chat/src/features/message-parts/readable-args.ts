/** Arguments of a tool as a person reads them; of a text that is JSON, what it says. Empty for none. */
export function readableArgs(args: unknown): string {
  if (args === undefined) return '';
  if (typeof args !== 'string') return JSON.stringify(args, null, 2);
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // Still on its way.
    return args;
  }
}
