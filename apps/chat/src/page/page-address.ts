/** What the page's address says. */
export interface PagePlace {
  /** The chat that is open. */
  readonly chatId: string | undefined;
  /** The team that the person works in; undefined for their personal workspace. */
  readonly teamId: string | undefined;
}

/** The place of an address such as `/?id=…&ws=…`. */
export function parsePageAddress(search: string): PagePlace {
  const query = new URLSearchParams(search);
  return { chatId: query.get('id') || undefined, teamId: query.get('ws') || undefined };
}

/** The address of a place, below the agent's. */
export function pageAddress({ chatId, teamId }: PagePlace): string {
  const query = new URLSearchParams({ ...(chatId && { id: chatId }), ...(teamId && { ws: teamId }) });
  return query.size === 0 ? '/' : `/?${query}`;
}
