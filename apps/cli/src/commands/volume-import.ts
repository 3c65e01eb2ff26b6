import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { parseObjectPath } from '@berth/contract';
import { BerthError } from '@berth/kit';
import { extract } from 'tar-stream';
import { defineCommand } from '../command.ts';
import { createStorageClient } from '../transfer/storage-request.ts';
import { createTransferView } from '../transfer/transfer-view.ts';
import { uploadFile } from '../transfer/upload-file.ts';
import { createUploadJournal } from '../transfer/upload-journal.ts';

export const volumeImport = defineCommand({
  name: 'import',
  summary: 'Put what `berth volume export` wrote into a volume, which is made when it is not there',
  words: [
    { name: 'name', description: 'Name of the volume' },
    { name: 'file', description: 'The file; standard input when absent', isOptional: true },
  ],
  examples: [
    ['berth volume import records records.tar.zst', 'objects that are there already are replaced'],
    ['berth volume export a | berth volume import b', 'a copy of a volume'],
  ],
  async run({ words: [name = '', file] }, context) {
    const { connect, output, clock, signal, config, machine, workingFolder, standardInput } = context;
    const client = await connect();
    await client.createVolume(name);
    const source = file === undefined ? standardInput : createReadStream(path.resolve(workingFolder, file));
    const view = createTransferView(output, clock, 'Imported', { files: 0, bytes: 0 });
    const storage = createStorageClient();
    const journal = createUploadJournal(path.join(path.dirname(config.path), 'uploads'));
    // An object is checked and sent from a file: the archive can't be read twice.
    const folder = await mkdtemp(path.join(machine.temporaryFolder, 'berth-import-'));
    const put = async (object: string, body: AsyncIterable<Uint8Array>) => {
      const absolute = path.join(folder, 'object');
      await pipeline(body, createWriteStream(absolute), { signal });
      const { size, mtimeMs } = await stat(absolute);
      const transfer = { client, storage, journal, clock, signal, onBytes: view.onBytes };
      const local = { path: object, absolute, sizeBytes: size, modifiedAtMs: mtimeMs };
      await uploadFile(transfer, name, object, local);
      view.onFile();
    };
    const tar = extract();
    const read = async () => {
      for await (const entry of tar) {
        const { type, name: object } = entry.header;
        if (type === 'file') await put(pathOf(object), entry as AsyncIterable<Uint8Array>);
        else if (type !== 'directory') output.warn(`${object} is skipped: it is no file.`);
        entry.resume();
      }
    };
    try {
      await Promise.all([pipeline(source, createZstdDecompress(), tar, { signal }), read()]);
    } finally {
      storage.close();
      output.clearStatus();
      await rm(folder, { recursive: true, force: true });
    }
    output.json({ volume: name, ...view.end() });
  },
});

function pathOf(name: string): string {
  const parsed = parseObjectPath(name.replace(/^\.\//, ''));
  if ('path' in parsed) return parsed.path;
  const message = `"${name}" can't be an object: ${parsed.problem}. What came before it is in the volume.`;
  throw new BerthError({ code: 'bad_request', status: 400, message });
}
