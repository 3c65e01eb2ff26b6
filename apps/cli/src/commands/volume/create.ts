import { defineCommand } from '../../command/command.ts';

/** `berth volume create`. */
export const volumeCreate = defineCommand({
  name: 'create',
  summary: 'Create a volume',
  words: { '<name>': 'Name of the volume' },
  examples: [['berth volume create records', 'deploys also create the volumes they mount']],
  async run({ words: [name = ''] }, { connect, output }) {
    const volume = await (await connect()).post('/v1/volume/create', { body: { name } });
    output.json(volume);
    output.print(volume.created ? `${name} is there.` : `${name} already exists.`);
  },
});
