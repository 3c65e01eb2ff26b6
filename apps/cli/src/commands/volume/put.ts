import { stat } from 'node:fs/promises';
import path from 'node:path';
import { forEachConcurrently } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { listAllObjects } from '../../transfer/list-all-objects.ts';
import { readParallel } from '../../transfer/read-parallel.ts';
import { createStorageClient } from '../../transfer/storage-request.ts';
import { createTransferView } from '../../transfer/transfer-view.ts';
import { uploadFile } from '../../transfer/upload-file.ts';
import { createUploadJournal } from '../../transfer/upload-journal.ts';
import { type LocalFile, selectChanged, walkFiles } from '../../transfer/walk-files.ts';

/** `berth volume put`. */
export const volumePut = defineCommand({
  name: 'put',
  summary: 'Upload a file or a folder to a volume; run it again to resume',
  words: {
    '<volume>': 'Name of the volume',
    '<source>': 'A file or a folder',
    '[path]': "Target object, or folder for a folder's contents",
  },
  options: {
    '--all': 'Upload all files, including those that exist in the volume',
    '--parallel <number>': 'Concurrent transfers; 8 by default',
  },
  examples: [
    ['berth volume put records ./data.csv', 'as data.csv'],
    ['berth volume put records ./photos photos', 'the contents of ./photos, as photos/…'],
  ],
  async run({ words: [volume = '', source = '', target], options }, context) {
    const { connect, output, clock, signal, config, workingFolder } = context;
    const parallel = readParallel(options.parallel);
    const root = path.resolve(workingFolder, source);
    const stats = await stat(root);
    const client = await connect();
    const journal = createUploadJournal(path.join(path.dirname(config.path), 'uploads'));
    using storage = createStorageClient();
    const prefix = stats.isDirectory() && target ? target.replace(/\/*$/, '/').replace(/^\//, '') : '';
    const total = stats.isDirectory() ? await measure(root, context) : { files: 1, bytes: stats.size };
    const view = createTransferView(output, clock, 'Uploaded', total);
    const transfer = { client, storage, journal, clock, onBytes: view.onBytes };
    const upload = async (file: LocalFile, stop: AbortSignal) => {
      await uploadFile({ ...transfer, signal: stop }, volume, prefix + file.path, file);
      view.onFile();
    };
    if (stats.isDirectory()) {
      const files = walkFiles(root);
      const changed = options.all
        ? files
        : selectChanged(files, listAllObjects(client, volume, prefix), prefix, (file) => view.onSkip(file.sizeBytes));
      await forEachConcurrently(changed, { concurrency: parallel, signal }, upload);
    } else {
      const name = path.basename(root).normalize('NFC');
      const object = target === undefined ? name : target.endsWith('/') ? target + name : target;
      const file = { path: object, absolute: root, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs };
      await upload(file, signal);
    }
    output.json({ volume, ...view.end() });
  },
});

/** Counts files and bytes before the transfer, to estimate the remaining time. */
async function measure(root: string, { output }: Context): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0];
  for await (const file of walkFiles(root, (skipped) => output.warn(`${skipped} is skipped: it is not a file.`))) {
    files++;
    bytes += file.sizeBytes;
  }
  return { files, bytes };
}
