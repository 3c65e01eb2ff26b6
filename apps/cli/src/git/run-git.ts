import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UsageError } from '../errors/usage-error.ts';

const run = promisify(execFile);

/**
 * Runs Git in a folder and returns what it printed; undefined when it ended with an error.
 * @throws UsageError when Git isn't installed
 */
export async function runGit(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', args, { cwd: folder, ...(signal && { signal }) });
    return stdout.trim();
  } catch (error) {
    signal?.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new UsageError('Git is not installed on this machine.');
    return undefined;
  }
}
