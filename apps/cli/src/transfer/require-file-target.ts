import { stat } from 'node:fs/promises';
import { BerthError } from '@berth/kit';

/**
 * @throws BerthError `bad_request` when something is at `target` that is neither a file nor missing: the rename that ends a transfer would
 * put a file in the place of a device, such as /dev/stdout, for every program of the machine.
 */
export async function requireFileTarget(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const message = `${target} is ${found.isDirectory() ? 'a folder' : 'not a file'}. Name a file to write.`;
  throw new BerthError({ code: 'bad_request', status: 400, message });
}
