/** Returns the URL that starts a sign-in with a provider and then returns to `returnTo`, a path of the console. */
export function signInAddress(provider: string, returnTo: string): string {
  return `/v1/auth/oidc/start?${new URLSearchParams({ provider, return_to: returnTo })}`;
}

/**
 * Returns `path` if it is a path of the console, otherwise `/`. Prevents open redirects, because anyone can write a
 * link.
 */
export function ownPath(path: string | null): string {
  if (path === null || !path.startsWith('/')) return '/';
  const here = 'http://console.invalid';
  const url = URL.parse(path, here);
  return url?.origin === here ? url.pathname + url.search + url.hash : '/';
}
