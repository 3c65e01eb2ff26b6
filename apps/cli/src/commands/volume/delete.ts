import { defineRemoval } from '../../command/define-removal.ts';
import { formatBytes } from '../../output/format-bytes.ts';

/** `berth volume delete`. */
export const volumeDelete = defineRemoval({
  name: 'delete',
  summary: 'Delete volumes with all that is in them; they can be restored for 7 days',
  word: { name: 'name', description: 'Name of a volume; no deployment may have it mounted' },
  examples: [
    ['berth volume delete records', 'then `berth volume restore records` brings it back'],
    ['berth volume delete records old -y', 'several, for scripts'],
  ],
  verb: 'Delete',
  async effect(client, name) {
    const found = (await client.get('/v1/volume/list')).find((volume) => volume.name === name);
    // The deletion itself reports an unknown volume.
    if (!found) return `Deletes the volume ${name}.`;
    const objects = found.object_count === 1 ? '1 object' : `${found.object_count} objects`;
    return `Deletes the volume ${name} with ${objects}, ${formatBytes(found.size_bytes)}. It can be restored for 7 days.`;
  },
  remove: async (client, name) => {
    const { detail } = await client.post('/v1/volume/delete', { body: { name } });
    return { detail, json: { name, detail } };
  },
});
