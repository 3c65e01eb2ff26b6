import { defineCommand } from '../../../command/command.ts';
import { formatAge } from '../../../output/format-age.ts';
import { formatBytes } from '../../../output/format-bytes.ts';

/** `berth admin backups ls`. */
export const adminBackupsLs = defineCommand({
  name: 'ls',
  summary: 'List the backups in the bucket for backups, newest first',
  examples: [['berth admin backups ls', 'names, sizes and ages']],
  async run(_input, { connect, output, clock }) {
    const backups = await (await connect()).get('/v1/admin/backups');
    output.json(backups);
    if (backups.length === 0) return output.say('No backup has been made yet. `berth admin backups create` makes one.');
    output.table(backups, [
      { heading: 'NAME', text: (row) => row.name },
      { heading: 'SIZE', text: (row) => formatBytes(row.size_bytes) },
      { heading: 'MADE', text: (row) => formatAge(row.created_at, clock.nowMs()) },
    ]);
  },
});
