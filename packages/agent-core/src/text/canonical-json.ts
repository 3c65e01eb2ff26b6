/**
 * Returns JSON text that is equal for equal values: names sorted by code units, no white space. Source: RFC 8785, with numbers
 * and strings as JSON.stringify writes them.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    // An object without a prototype treats a name such as __proto__ like any other.
    const sorted: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(inner).sort()) sorted[name] = (inner as Record<string, unknown>)[name];
    return sorted;
  });
}
