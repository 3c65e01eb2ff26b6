/** A host name as certificates have it, `*` allowed as its first label. Source: RFC 6125 6.4.3. */
const DNS_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The DNS names in the text that Node makes of a certificate's subjectAltName, in lower case, each once.
 * Node writes a value with special characters as a JSON string, so that a name can't be smuggled in by a comma inside
 * another value; names that no host can have are left out.
 */
export function subjectNames(subjectAltName: string | undefined): string[] {
  const names = new Set<string>();
  for (const [, kind, quoted, plain] of (subjectAltName ?? '').matchAll(ENTRY)) {
    if (kind !== 'DNS') continue;
    const name = (quoted === undefined ? (plain ?? '') : unquote(quoted)).toLowerCase();
    if (DNS_NAME.test(name)) names.add(name);
  }
  return [...names];
}

/** `kind:"JSON"` or `kind:value`, up to the comma that ends it. */
const ENTRY = /\s*([^:,"]+):(?:("(?:[^"\\]|\\.)*")[^,]*|([^,]*))(?:,|$)/g;

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return '';
  }
}
