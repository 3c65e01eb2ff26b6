/** A host name as in certificates, with `*` allowed as the first label. Source: RFC 6125 6.4.3. */
const DNS_NAME = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Returns the distinct DNS names in `subjectAltName`, the text that Node makes of the extension, in lower case. Node
 * writes values with special characters as JSON strings, so a comma inside another value can't inject a name. Names
 * that aren't valid host names are skipped.
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

/** One entry, `kind:"JSON"` or `kind:value`, up to the comma that ends it. */
const ENTRY = /\s*([^:,"]+):(?:("(?:[^"\\]|\\.)*")[^,]*|([^,]*))(?:,|$)/g;

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return '';
  }
}
