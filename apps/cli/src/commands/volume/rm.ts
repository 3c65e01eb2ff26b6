import { forEachConcurrently } from '@berth/kit';
import { defineCommand } from '../../command/command.ts';
import { confirmLoss } from '../../command/confirm-loss.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { cleanText } from '../../output/clean-text.ts';
import { listAllObjects } from '../../transfer/list-all-objects.ts';

/** Concurrent deletions. */
const PARALLEL = 8;

/** `berth volume rm`. */
export const volumeRm = defineCommand({
  name: 'rm',
  summary: 'Delete an object, or all objects below a path',
  words: { '<volume>': 'Name of the volume', '<path>': 'Path of the object' },
  options: { '-r, --recursive': 'All objects below the path', ...YES_OPTION },
  examples: [
    ['berth volume rm records logs/old.txt', 'one object'],
    ['berth volume rm records logs -r -y', 'all objects below logs/, without confirmation'],
  ],
  async run({ words: [volume = '', path = ''], options }, context) {
    const { connect, output, signal } = context;
    const what = options.recursive ? `every object below ${path || '/'}` : path;
    const effects = [`Deletes ${what} in the volume ${volume}, for every service that mounts it.`];
    if (!(await confirmLoss({ effects, question: 'Delete?' }, options, context))) return 1;
    const client = await connect();
    if (!options.recursive) {
      const { detail } = await client.post('/v1/volume/delete-object', { body: { volume, path } });
      output.json({ volume, path, detail });
      output.print(cleanText(detail));
      return 0;
    }
    let count = 0;
    const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
    await forEachConcurrently(
      listAllObjects(client, volume, prefix),
      { concurrency: PARALLEL, signal },
      async (object, stop) => {
        await client.post('/v1/volume/delete-object', { body: { volume, path: object.path }, signal: stop });
        output.showStatus(`  ${++count} deleted`);
      },
    );
    output.clearStatus();
    output.json({ volume, prefix, deleted: count });
    output.print(`${count} ${count === 1 ? 'object' : 'objects'} deleted.`);
    return 0;
  },
});
