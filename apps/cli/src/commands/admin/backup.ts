import type { ReadableStream } from 'node:stream/web';
import { saveBackup } from '../../backup/save-backup.ts';
import { defineCommand } from '../../command/command.ts';

/** `berth admin backup`. */
export const adminBackup = defineCommand({
  name: 'backup',
  summary: 'Back up the whole platform to a file while it runs (operator only)',
  description: 'The file contains every secret of the platform and the contents of its volumes. Store it securely.',
  words: { '<file>': 'File to write, such as berth.tar.zst' },
  examples: [['berth admin backup berth.tar.zst', 'then `berth admin restore` turns it into a data folder']],
  async run({ words: [file = ''] }, context) {
    const open = async () => (await (await context.connect()).openBackup({ signal: context.signal })) as ReadableStream;
    await saveBackup(file, open, context);
  },
});
