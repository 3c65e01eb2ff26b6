import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { readCounted } from './read-counted.ts';
import { retryTransfer } from './retry-transfer.ts';
import { RESUMABLE_BYTES } from './transfer-context.ts';
import { type UploadContext, uploadResumable } from './upload-resumable.ts';
import type { LocalFile } from './walk-files.ts';

/** Up to this size a file is read once, into memory. */
const SMALL_BYTES = 1 * 2 ** 20;

/** Uploads a file to a volume. The object appears complete and verified, or not at all. */
export async function uploadFile(
  context: UploadContext,
  volume: string,
  object: string,
  file: LocalFile,
): Promise<void> {
  if (file.sizeBytes >= RESUMABLE_BYTES && (await uploadResumable(context, volume, object, file))) return;
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    context.onBytes(bytes);
  };
  await retryTransfer(
    async () => {
      context.onBytes(-sent);
      sent = 0;
      await putOnce(context, volume, object, file, count);
    },
    // Every try starts over, so an interrupted one is no progress.
    { ...context, progressBytes: () => 0 },
  );
}

async function putOnce(
  { client, storage, signal }: UploadContext,
  volume: string,
  object: string,
  { absolute, sizeBytes }: LocalFile,
  count: (bytes: number) => void,
): Promise<void> {
  const bytes = sizeBytes <= SMALL_BYTES ? await readFile(absolute) : undefined;
  const md5 = bytes ? createHash('md5').update(bytes).digest('base64') : await md5OfFile(absolute, signal);
  const { url } = await client.post('/v1/volume/upload', { body: { volume, object }, signal });
  const body = bytes ?? readCounted(absolute, { start: 0, end: sizeBytes }, count);
  const headers = { 'Content-Length': String(bytes?.length ?? sizeBytes), 'Content-MD5': md5 };
  const answer = await storage.send({ method: 'PUT', url, headers, body, signal });
  answer.body.resume();
  if (bytes) count(bytes.length);
}

async function md5OfFile(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest('base64');
}
