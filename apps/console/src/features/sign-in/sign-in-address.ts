/** Where a browser is sent to sign in with a provider; it comes back to `returnTo`, a path of the console. */
export function signInAddress(provider: string, returnTo: string): string {
  return `/v1/auth/oidc/start?${new URLSearchParams({ provider, return_to: returnTo })}`;
}

/** `path` where it is one of the console's own: addresses of pages may be written by anybody. */
export function ownPath(path: string | null): string {
  if (path === null || !path.startsWith('/')) return '/';
  const here = 'http://console.invalid';
  const url = URL.parse(path, here);
  return url?.origin === here ? url.pathname + url.search + url.hash : '/';
}
