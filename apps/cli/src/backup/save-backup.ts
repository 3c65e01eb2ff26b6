import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createError } from '@berth/contract/errors';
import type { Context } from '../command/context.ts';
import { formatBytes } from '../output/format-bytes.ts';
import { formatDuration } from '../output/format-duration.ts';
import { requireFileTarget } from '../transfer/require-file-target.ts';
import { describeLeftOut } from './describe-left-out.ts';
import { type CheckedBackup, checkBackup } from './extract-backup.ts';

/** Writes a backup to a file and verifies it. The file is complete, or not there. */
export async function saveBackup(
  file: string,
  open: () => Promise<ReadableStream>,
  { output, clock, signal, workingFolder }: Pick<Context, 'output' | 'clock' | 'signal' | 'workingFolder'>,
): Promise<void> {
  const target = path.resolve(workingFolder, file);
  await requireFileTarget(target);
  const draft = `${target}.part`;
  const startedAtMs = clock.monotonicMs();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let checked: CheckedBackup | undefined;
  try {
    const body = Readable.fromWeb(await open());
    body.on('data', (chunk: Uint8Array) => {
      sizeBytes += chunk.length;
      hash.update(chunk);
      output.showStatus(`  ${formatBytes(sizeBytes)}`);
    });
    await pipeline(body, createWriteStream(draft, { mode: 0o600, flush: true }), { signal }).catch((error: Error) => {
      signal.throwIfAborted();
      // An error of the file system explains itself.
      if ('syscall' in error) throw error;
      throw createError('unavailable', `The backup failed: ${error.message}. Nothing was saved.`, {
        cause: error,
      });
    });
    output.showStatus(`  Checking ${formatBytes(sizeBytes)}`);
    checked = await checkBackup(createReadStream(draft), signal);
    await rename(draft, target);
  } finally {
    output.clearStatus();
    await rm(draft, { force: true });
  }
  const sha256 = hash.digest('hex');
  const left = describeLeftOut(checked);
  output.json({ file: target, size_bytes: sizeBytes, sha256, not_included: left.map(({ item }) => item) });
  output.say(
    `Saved ${formatBytes(sizeBytes)} in ${formatDuration(clock.monotonicMs() - startedAtMs)}. SHA-256: ${sha256}`,
  );
  for (const { sentence } of left) output.warn(sentence);
  output.print(target);
}
