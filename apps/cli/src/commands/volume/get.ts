import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@berth/client';
import { parseObjectPath } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { forEachConcurrently } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';
import { downloadFile } from '../../transfer/download-file.ts';
import { listAllObjects, type RemoteObject } from '../../transfer/list-all-objects.ts';
import { readParallel } from '../../transfer/read-parallel.ts';
import { createStorageClient } from '../../transfer/storage-request.ts';
import { createTransferView } from '../../transfer/transfer-view.ts';

/** `berth volume get`. */
export const volumeGet = defineCommand({
  name: 'get',
  summary: 'Download an object, or all objects below a path; run it again to resume',
  words: {
    '<volume>': 'Name of the volume',
    '[path]': 'Object or folder; the whole volume by default',
    '[target]': 'Target file or folder; the current folder by default',
  },
  options: {
    '--all': 'Download everything, including files that exist locally',
    '--parallel <number>': 'Concurrent transfers; 8 by default',
  },
  examples: [
    ['berth volume get records data.csv', 'as ./data.csv'],
    ['berth volume get records photos ./backup', 'everything below photos/, as ./backup/…'],
  ],
  async run({ words: [volume = '', from = '', target = '.'], options }, context) {
    const { connect, output, clock, signal, workingFolder } = context;
    const parallel = readParallel(options.parallel);
    const client = await connect();
    const root = path.resolve(workingFolder, target);
    const wanted = from.replace(/^\//, '');
    const single = wanted === '' || wanted.endsWith('/') ? undefined : await findObject(client, volume, wanted);
    const prefix = wanted === '' || wanted.endsWith('/') ? wanted : `${wanted}/`;
    const objects = () => (single ? only(single) : listAllObjects(client, volume, prefix));
    const total = { files: 0, bytes: 0 };
    for await (const { size } of objects()) {
      total.files++;
      total.bytes += size;
    }
    if (total.files === 0) {
      throw createError('not_found', `${volume} has no object at "${wanted}".`);
    }
    const isIntoFolder = single === undefined || (await isFolder(root)) || target.endsWith('/');
    const view = createTransferView(output, clock, 'Downloaded', total);
    using storage = createStorageClient();
    await forEachConcurrently(objects(), { concurrency: parallel, signal }, async (object, stop) => {
      const name = single ? path.posix.basename(object.path) : object.path.slice(prefix.length);
      const file = isIntoFolder ? path.join(root, ...partsOf(name)) : root;
      if (!options.all && !single && (await isHere(file, object))) return view.onSkip(object.size);
      await downloadFile({ client, storage, clock, signal: stop, onBytes: view.onBytes }, volume, object, file);
      view.onFile();
    });
    output.json({ volume, ...view.end() });
  },
});

async function* only(object: RemoteObject): AsyncGenerator<RemoteObject> {
  yield object;
}

async function findObject(client: Client, volume: string, wanted: string): Promise<RemoteObject | undefined> {
  const { objects } = await client.get('/v1/volume/objects', {
    params: { query: { volume, prefix: wanted, limit: 1 } },
  });
  return objects.find((object) => object.path === wanted);
}

/** Splits an object's path. @throws BerthError for a path that would leave the target */
function partsOf(name: string): string[] {
  if ('path' in parseObjectPath(name)) return name.split('/');
  throw createError('bad_request', `"${name}" is not an object path.`);
}

/** Returns true when the file was downloaded before: it has the object's size and time. */
async function isHere(file: string, { size, updated }: RemoteObject): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() === true && stats.size === size && Math.abs(stats.mtimeMs - Date.parse(updated)) < 1;
}

async function isFolder(file: string): Promise<boolean> {
  return stat(file).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
