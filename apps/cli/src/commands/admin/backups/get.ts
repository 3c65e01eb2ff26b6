import type { ReadableStream } from 'node:stream/web';
import { createError } from '@berth/contract/errors';
import { saveBackup } from '../../../backup/save-backup.ts';
import { defineCommand } from '../../../command/command.ts';

/** `berth admin backups get`. */
export const adminBackupsGet = defineCommand({
  name: 'get',
  summary: 'Download a backup from the bucket for backups, and verify it',
  description: 'The file contains every secret of the platform and the contents of its volumes. Store it securely.',
  words: { '<file>': 'File to write, such as berth.tar.zst', '[name]': 'Name of the backup; the newest by default' },
  examples: [
    ['berth admin backups get berth.tar.zst', 'the newest'],
    ['berth admin restore berth.tar.zst ./check --verify', 'then tests that it can be restored'],
  ],
  async run({ words: [file = '', word] }, context) {
    const client = await context.connect();
    const name = word ?? (await client.get('/v1/admin/backups'))[0]?.name;
    if (name === undefined) {
      throw createError('not_found', 'No backup has been made yet. `berth admin backups create` makes one.');
    }
    const open = async () => (await client.openBackup({ name, signal: context.signal })) as ReadableStream;
    await saveBackup(file, open, context);
  },
});
