/** Pages that one comes to by a link with a secret. */
const PAGES = ['/first-run', '/join'];

/**
 * The one-time secret of a first-run link or an invitation. It stands behind the `#`, which browsers send to nobody, and is
 * taken out of the address at once, so that it stays in no history.
 */
export function takeLinkSecret(
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
  history: Pick<History, 'replaceState'>,
): string | undefined {
  if (!PAGES.includes(pathname) || hash.length < 2) return undefined;
  history.replaceState(null, '', pathname);
  return hash.slice(1);
}
