import type { DeletedVolume } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { cleanText } from '../../output/clean-text.ts';
import { formatAge } from '../../output/format-age.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import { formatTable } from '../../output/format-table.ts';
import type { Style } from '../../output/style.ts';
import { listAllObjects } from '../../transfer/list-all-objects.ts';

/** `berth volume ls`. */
export const volumeLs = defineCommand({
  name: 'ls',
  summary: 'List the volumes of the account, or the objects of one',
  words: { '[name]': 'Name of a volume', '[prefix]': 'Only objects whose paths start with it' },
  options: { '--deleted': 'Deleted volumes that can be restored' },
  examples: [
    ['berth volume ls', 'volumes and the deployments that mount them'],
    ['berth volume ls records logs/2026', 'objects, sorted by path'],
    ['berth volume ls records --json', 'one JSON object per line'],
    ['berth volume ls --deleted', 'volumes that `berth volume restore` can restore'],
  ],
  async run({ words: [name, prefix = ''], options }, { connect, output, clock }) {
    const client = await connect();
    if (name !== undefined) {
      let count = 0;
      for await (const object of listAllObjects(client, name, prefix)) {
        count++;
        output.json(object);
        // Lines instead of a table, because there may be a million objects.
        output.print(`${formatBytes(object.size).padStart(9)}  ${cleanText(`${object.updated}  ${object.path}`)}`);
      }
      if (count === 0) output.say(prefix === '' ? `${name} is empty.` : `Nothing in ${name} starts with ${prefix}.`);
      return;
    }
    if (options.deleted) {
      const deleted = await client.get('/v1/volume/deleted');
      output.json(deleted);
      if (deleted.length === 0) return output.say('No volume was deleted in the last 7 days.');
      return output.print(formatDeleted(deleted, output.style));
    }
    const volumes = await client.get('/v1/volume/list');
    output.json(volumes);
    if (volumes.length === 0) return output.say('No volumes yet. Create one with `berth volume create my-volume`.');
    output.table(volumes, [
      { heading: 'NAME', text: (row) => row.name, paint: output.style.bold },
      { heading: 'SIZE', text: (row) => formatBytes(row.size_bytes) },
      { heading: 'OBJECTS', text: (row) => String(row.object_count) },
      { heading: 'CREATED', text: (row) => formatAge(row.created_at, clock.nowMs()) },
      { heading: 'MOUNTED BY', text: (row) => row.attached_to.join(', ') || '-' },
    ]);
  },
});

function formatDeleted(volumes: readonly DeletedVolume[], style: Style): string {
  return formatTable<DeletedVolume>(
    volumes,
    [
      { heading: 'NAME', text: (row) => row.name, paint: style.bold },
      { heading: 'SIZE', text: (row) => formatBytes(row.size_bytes) },
      { heading: 'OBJECTS', text: (row) => String(row.object_count) },
      { heading: 'DELETED', text: (row) => row.deleted_at },
      { heading: 'RESTORABLE UNTIL', text: (row) => row.restorable_until },
    ],
    style,
  );
}
