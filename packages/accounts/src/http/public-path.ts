/** Sign-in can't ask for a credential; all else under /v1 does. */
const PUBLIC_PREFIX = '/v1/auth/';

/** True for the paths that are served without a credential. */
export function isPublicPath(path: string): boolean {
  return path.startsWith(PUBLIC_PREFIX) || !path.startsWith('/v1/');
}
