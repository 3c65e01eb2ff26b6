import { childOf, parseWorkspacePath, type WorkspacePath } from '@berth/agent-core';
import { createValidationError } from '@berth/contract';
import type { AnyContext } from '@berth/http';
import type { Clock } from '@berth/kit';
import type { WorkspaceFiles } from './create-workspace-files.ts';
import type { StagedFile } from './incoming.ts';
import { type FormFile, receiveForm } from './receive-form.ts';
import { receiveRaw, tooLarge } from './receive-raw.ts';
import { unpackZip } from './unpack-zip.ts';

interface ReceiveBatchOptions {
  readonly files: Pick<WorkspaceFiles, 'stage'>;
  readonly clock: Clock;
  /** Maximum size of all unpacked files together. */
  readonly maxBytes: number;
  /** Where they are to be. */
  readonly folder: WorkspacePath;
}

/** Lines between the files of a form. */
const FORM_BYTES = 16 * 2 ** 20;
const ZIP_TYPE = /^application\/(zip|x-zip|x-zip-compressed)\b/i;

/**
 * Reads a form with many files, or one zip: as the body, in a field `zip`, or as the form's only file. Every path is judged
 * before it is received. When it throws, nothing is left; disposing the result removes the files that were not placed.
 * @throws as `receiveForm`, `unpackZip`, `parseWorkspacePath`; `invalid` for a form without files.
 */
export async function receiveBatch(c: AnyContext, { files, clock, maxBytes, folder }: ReceiveBatchOptions) {
  const received: { path: WorkspacePath; staged: StagedFile }[] = [];
  const zips = new Set<StagedFile>();
  let left = maxBytes;
  const dispose = async () => {
    for (const staged of [...received.map((file) => file.staged), ...zips]) await staged[Symbol.asyncDispose]();
  };
  const pathOf = (name: string | undefined): WorkspacePath => {
    if (name === undefined || name === '') {
      throw missing('each file of a batch needs a file name, which is its path in the folder');
    }
    return parseWorkspacePath(childOf(folder, name), ['body', 'file']);
  };
  const unpack = async (zip: StagedFile, signal?: AbortSignal) =>
    unpackZip(zip.file, pathOf, {
      stage: files.stage,
      maxBytes,
      signal,
      onFile: (path, staged) => received.push({ path, staged }),
    });
  const onFile = async ({ field, fileName, type, bytes }: FormFile, signal: AbortSignal): Promise<void> => {
    const isZip = field === 'zip' || ZIP_TYPE.test(type) || /\.zip$/i.test(fileName ?? '');
    // Judged before its bytes come; that of a zip is needed when it turns out not to be the only file.
    const path = field === 'zip' ? folder : pathOf(fileName);
    const staged = await files.stage(bytes, { maxBytes: left, signal });
    left -= staged.sizeBytes;
    if (field === 'zip') {
      zips.add(staged);
      await unpack(staged, signal);
    } else {
      received.push({ path, staged });
      if (isZip) zips.add(staged);
    }
  };
  try {
    if (ZIP_TYPE.test(c.req.header('content-type') ?? '')) {
      const take = (bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) => files.stage(bytes, { maxBytes, signal });
      const zip = await receiveRaw(c, { clock, maxBytes, take });
      zips.add(zip);
      await unpack(zip);
    } else {
      if (Number(c.req.header('content-length') ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
      await receiveForm(c, { clock, maxBytes: maxBytes + FORM_BYTES, onFile });
      const [only] = received;
      if (received.length === 1 && only && zips.has(only.staged)) {
        received.length = 0;
        await unpack(only.staged);
      }
    }
    if (received.length === 0) throw missing('it contains no files');
    return { files: received, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function missing(msg: string) {
  return createValidationError([{ loc: ['body', 'file'], msg, type: 'missing' }]);
}
