import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkArchive, type OnEntry, readArchive } from '@berth/builder/sealed-archive';
import { parseObjectPath } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { defineCommand } from '../../command/command.ts';
import { createStorageClient } from '../../transfer/storage-request.ts';
import { createTransferView } from '../../transfer/transfer-view.ts';
import { uploadFile } from '../../transfer/upload-file.ts';
import { createUploadJournal } from '../../transfer/upload-journal.ts';

/** `berth volume import`. */
export const volumeImport = defineCommand({
  name: 'import',
  summary: 'Import a file from `berth volume export` into a volume, creating the volume if needed',
  words: { '<name>': 'Name of the volume', '[file]': 'Exported file; standard input by default' },
  examples: [
    ['berth volume import records records.tar.zst', 'existing objects are replaced'],
    ['berth volume export a | berth volume import b', 'copies a volume'],
  ],
  async run({ words: [name = '', file] }, context) {
    const { connect, output, clock, signal, config, machine, workingFolder, standardInput } = context;
    // A temporary file, because the archive is read twice: it is checked before anything is written.
    const folder = await mkdtemp(path.join(machine.temporaryFolder, 'berth-import-'));
    const archive = file === undefined ? path.join(folder, 'archive') : path.resolve(workingFolder, file);
    using storage = createStorageClient();
    try {
      if (file === undefined) await pipeline(standardInput, createWriteStream(archive), { signal });
      output.showStatus('  Checking');
      const total = { files: 0, bytes: 0 };
      const check: OnEntry = async ({ type, name: object, size }) => {
        if (type !== 'file') return;
        pathOf(object);
        total.files++;
        total.bytes += size;
      };
      const { isSealed } = await checkArchive(createReadStream(archive), { signal, onEntry: check });
      output.clearStatus();
      if (!isSealed) output.warn("The archive has no checksums, so damage can't be detected.");

      const client = await connect();
      await client.post('/v1/volume/create', { body: { name } });
      const view = createTransferView(output, clock, 'Imported', total);
      const journal = createUploadJournal(path.join(path.dirname(config.path), 'uploads'));
      const put: OnEntry = async ({ type, name: object }, content) => {
        if (type === 'directory') return;
        if (type !== 'file') return output.warn(`${object} is skipped: it is not a file.`);
        const absolute = path.join(folder, 'object');
        await pipeline(content, createWriteStream(absolute), { signal });
        const { size, mtimeMs } = await stat(absolute);
        const transfer = { client, storage, journal, clock, signal, onBytes: view.onBytes };
        const local = { path: pathOf(object), absolute, sizeBytes: size, modifiedAtMs: mtimeMs };
        await uploadFile(transfer, name, local.path, local);
        view.onFile();
      };
      await readArchive(createReadStream(archive), { signal, onEntry: put });
      output.clearStatus();
      output.json({ volume: name, has_checksums: isSealed, ...view.end() });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

function pathOf(name: string): string {
  const parsed = parseObjectPath(name.replace(/^\.\//, ''));
  if ('path' in parsed) return parsed.path;
  const message = `"${name}" can't be stored as an object: ${parsed.problem}. Nothing was imported.`;
  throw createError('bad_request', message);
}
