import { defineCommand } from '../../../command/command.ts';
import { cleanText } from '../../../output/clean-text.ts';
import { formatBytes } from '../../../output/format-bytes.ts';

/** `berth admin backups create`. */
export const adminBackupsCreate = defineCommand({
  name: 'create',
  summary: 'Back up the whole platform into the bucket for backups now',
  examples: [['berth admin backups create', 'before an upgrade']],
  async run(_input, { connect, output }) {
    const client = await connect();
    output.showStatus('  Backing up');
    const made = await client.post('/v1/admin/backups', {}).finally(() => output.clearStatus());
    output.json(made);
    output.say(`Stored ${formatBytes(made.size_bytes)}.`);
    output.print(cleanText(made.name));
  },
});
