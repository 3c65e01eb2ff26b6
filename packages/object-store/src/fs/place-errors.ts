import { createError } from '@berth/contract';

/** Returns `conflict`: a part of the path is not a folder. */
export function leadsThrough(path: string) {
  return createError(
    'conflict',
    `"${path}" leads through an object or a link, which is no folder. Choose another path.`,
  );
}

/** Returns `conflict`: an object can't replace a folder. */
export function isFolder(path: string) {
  return createError('conflict', `"${path}" is a folder of the volume. Choose another path.`);
}

/** Returns `precondition_failed`. */
export function notMet(path: string) {
  return createError(
    'precondition_failed',
    `"${path}" is not in the state that the request asks for; nothing was stored.`,
  );
}
