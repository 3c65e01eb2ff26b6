import { defineCommand } from '../../command/command.ts';

/** `berth cancel`. */
export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel a running deploy; the current revision keeps serving',
  words: { '<deploy-id>': 'ID that `berth deploy` printed' },
  examples: [['berth cancel dep_01jd3v9k2m', 'stops the build or the start']],
  async run({ words: [deployId = ''] }, { connect, output }) {
    await (await connect()).post('/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: deployId } } });
    output.json({ deploy_id: deployId, cancelled: true });
    output.print(`Canceled ${deployId}.`);
  },
});
