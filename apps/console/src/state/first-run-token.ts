/**
 * The one-time secret of a first-run link. It stands behind the `#`, which browsers send to nobody, and is taken out of the
 * address at once, so that it stays in no history.
 */
export function takeFirstRunToken(
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
  history: Pick<History, 'replaceState'>,
): string | undefined {
  if (pathname !== '/first-run' || hash.length < 2) return undefined;
  history.replaceState(null, '', pathname);
  return hash.slice(1);
}
