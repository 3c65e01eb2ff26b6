/** Pages whose links contain a secret. */
const PAGES = ['/first-run', '/join', '/reset-password', '/confirm-email'];

/**
 * Returns the one-time secret of a first-run link, an invitation, or a link for a new password or e-mail address. The secret is in the fragment, which browsers don't
 * send to servers. It is removed from the address at once, so that it stays out of the history.
 */
export function takeLinkSecret(
  { pathname, hash }: Pick<Location, 'pathname' | 'hash'>,
  history: Pick<History, 'replaceState'>,
): string | undefined {
  if (!PAGES.includes(pathname) || hash.length < 2) return undefined;
  history.replaceState(null, '', pathname);
  return hash.slice(1);
}
