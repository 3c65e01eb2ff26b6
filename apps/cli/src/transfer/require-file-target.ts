import { stat } from 'node:fs/promises';
import { createError } from '@berth/contract/errors';

/**
 * Checks that `target` is a file or missing. The rename that ends a transfer would otherwise replace a device such as /dev/stdout for
 * every program on the machine.
 * @throws BerthError `bad_request` when it is anything else
 */
export async function requireFileTarget(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const message = `${target} is ${found.isDirectory() ? 'a folder' : 'not a file'}. Name a file to write.`;
  throw createError('bad_request', message);
}
