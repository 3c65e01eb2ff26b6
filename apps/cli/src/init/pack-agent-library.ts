import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createError } from '@berth/contract/errors';

const PACKER = fileURLToPath(new URL('../../../../tools/pack-agent/main.ts', import.meta.url));
/** The packed library in the published package. The repo has none, since its sources may change. */
const PREPACKED = fileURLToPath(new URL('../../../../library/berth-agent-*.tgz', import.meta.url));

const run = promisify(execFile);

/**
 * Packs `@berth/agent` into `folder` and returns the package's path.
 * @throws BerthError `unavailable` when the repo is incomplete
 */
export async function packAgentLibrary(folder: string, signal: AbortSignal): Promise<string> {
  const [packed] = globSync(PREPACKED);
  if (packed !== undefined) {
    const file = path.join(folder, path.basename(packed));
    await mkdir(folder, { recursive: true });
    await copyFile(packed, file);
    return file;
  }
  try {
    const { stdout } = await run(process.execPath, [PACKER, folder], { signal });
    return stdout.trim();
  } catch (cause) {
    signal.throwIfAborted();
    throw createError(
      'unavailable',
      'The agent library could not be packed. Run "npm ci" in the Berth repo, then try again.',
      { cause, details: { output: ((cause as { readonly stderr?: string }).stderr ?? '').slice(-2_000) } },
    );
  }
}
