/**
 * JSON text that is the same for equal values: names in the order of their code units, nothing between. Source: RFC 8785,
 * of which numbers and strings are as JSON.stringify writes them.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    // Without a prototype, so that a name such as __proto__ is one like any other.
    const sorted: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(inner).sort()) sorted[name] = (inner as Record<string, unknown>)[name];
    return sorted;
  });
}
