import { pipeline } from 'node:stream/promises';
import { type AddEntry, writeSealedArchive } from '@berth/builder/sealed-archive';
import type { Client } from '@berth/client';
import { createError } from '@berth/contract/errors';
import { defineCommand } from '../../command/command.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { listAllObjects, type RemoteObject } from '../../transfer/list-all-objects.ts';
import { createStorageClient, type StorageClient } from '../../transfer/storage-request.ts';
import { createTransferView } from '../../transfer/transfer-view.ts';

/** `berth volume export`. */
export const volumeExport = defineCommand({
  name: 'export',
  summary: 'Export a volume to standard output as .tar.zst',
  words: { '<name>': 'Name of the volume' },
  examples: [['berth volume export records > records.tar.zst', 'import it with `berth volume import`']],
  async run({ words: [name = ''] }, { connect, output, clock, signal, standardOutput }) {
    if (output.isTerminal.result)
      throw new UsageError('Redirect the output to a file: berth volume export NAME > file.tar.zst');
    const client = await connect();
    const total = { files: 0, bytes: 0 };
    for await (const { size } of listAllObjects(client, name, '')) {
      total.files++;
      total.bytes += size;
    }
    const view = createTransferView(output, clock, 'Exported', total);
    using storage = createStorageClient();
    const { stream, done } = writeSealedArchive(async (add) => {
      for await (const object of listAllObjects(client, name, '')) {
        await addObject(add, client, storage, name, object, signal);
        view.onBytes(object.size);
        view.onFile();
      }
    });
    const results = await Promise.allSettled([done, pipeline(stream, standardOutput, { signal, end: false })]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    view.end();
  },
});

async function addObject(
  add: AddEntry,
  client: Client,
  storage: StorageClient,
  volume: string,
  { path, size, updated }: RemoteObject,
  signal: AbortSignal,
): Promise<void> {
  const { url } = await client.post('/v1/volume/download', { body: { volume, object: path }, signal });
  const { body } = await storage.send({ method: 'GET', url, signal });
  // An object that changed since it was listed may have another size, which the archive refuses.
  await add({ name: path, size, mtime: new Date(updated), mode: 0o644 }, body).catch((error: Error) => {
    signal.throwIfAborted();
    const message = `The export failed at ${path}: ${error.message}. The output is incomplete.`;
    throw createError('unavailable', message, { cause: error });
  });
}
