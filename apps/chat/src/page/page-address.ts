/** The chat and workspace that the page's address names. */
export interface PagePlace {
  /** Id of the open chat. */
  readonly chatId: string | undefined;
  /** The team that the person works in; undefined for their personal workspace. */
  readonly teamId: string | undefined;
}

/** Parses the query of an address such as `/?id=…&ws=…`. */
export function parsePageAddress(search: string): PagePlace {
  const query = new URLSearchParams(search);
  return { chatId: query.get('id') || undefined, teamId: query.get('ws') || undefined };
}

/** Returns the path and query of a place. */
export function pageAddress({ chatId, teamId }: PagePlace): string {
  const query = new URLSearchParams({ ...(chatId && { id: chatId }), ...(teamId && { ws: teamId }) });
  return query.size === 0 ? '/' : `/?${query}`;
}
