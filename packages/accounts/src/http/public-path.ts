/** The only paths under /v1 that need no credential. */
const PUBLIC_PREFIX = '/v1/auth/';

/** True for the paths that are served without a credential. */
export function isPublicPath(path: string): boolean {
  return path.startsWith(PUBLIC_PREFIX) || !path.startsWith('/v1/');
}
