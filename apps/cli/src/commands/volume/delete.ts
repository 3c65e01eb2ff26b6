import { defineRemoval } from '../../command/define-removal.ts';
import { formatBytes } from '../../output/format-bytes.ts';

/** `berth volume delete`. */
export const volumeDelete = defineRemoval({
  name: 'delete',
  summary: 'Delete volumes and their contents; they can be restored for 7 days',
  word: { name: 'name', description: 'Volume that no deployment mounts' },
  examples: [
    ['berth volume delete records', 'then `berth volume restore records` restores it'],
    ['berth volume delete records old -y', 'several, without confirmation'],
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
