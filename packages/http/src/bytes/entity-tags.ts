/** The tags of an `If-Match` or `If-None-Match` header. */
export type EntityTags = '*' | readonly string[];

/** Parses `*` or a list of tags (RFC 9110, 8.8.3); undefined for anything else. */
export function parseEntityTags(header: string): EntityTags | undefined {
  if (header.trim() === '*') return '*';
  const list = /^\s*(?:(?:W\/)?"[^"\s]*"\s*(?:,\s*|$))+$/;
  return list.test(header) ? (header.match(/(?:W\/)?"[^"\s]*"/g) ?? []) : undefined;
}

/** Compares strongly: a weak tag equals nothing. */
export function matchesStrongly(tags: EntityTags, etag: string): boolean {
  return tags === '*' || tags.includes(etag);
}

/** Compares weakly: tags are equal apart from their `W/`. */
export function matchesWeakly(tags: EntityTags, etag: string): boolean {
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}
