import { defineCommand } from '../../command/command.ts';

/** `berth volume create`. */
export const volumeCreate = defineCommand({
  name: 'create',
  summary: 'Make a volume',
  words: { '<name>': 'Name of the volume' },
  examples: [['berth volume create records', 'a deploy that mounts it makes it too']],
  async run({ words: [name = ''] }, { connect, output }) {
    const volume = await (await connect()).post('/v1/volume/create', { body: { name } });
    output.json(volume);
    output.print(volume.created ? `${name} is there.` : `${name} was there already.`);
  },
});
