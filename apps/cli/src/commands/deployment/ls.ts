import { defineCommand } from '../../command/command.ts';
import { formatAge } from '../../output/format-age.ts';
import { paintStatus } from '../../output/paint-status.ts';

/** `berth ls`. */
export const ls = defineCommand({
  name: 'ls',
  summary: 'List the deployments of the account',
  examples: [
    ['berth ls', 'names, status and URLs, newest first'],
    ['berth ls --json', 'all fields as one JSON array'],
  ],
  async run(_input, { connect, output, clock }) {
    const deployments = await (await connect()).get('/v1/deployment/list');
    output.json(deployments);
    if (deployments.length === 0) {
      output.say('No deployments yet. Deploy a folder with `berth deploy ./my-project`.');
      return;
    }
    const { style } = output;
    output.table(deployments, [
      { heading: 'NAME', text: (row) => row.name, paint: style.bold },
      { heading: 'STATUS', text: (row) => row.status, paint: (text, row) => paintStatus(row.status, text, style) },
      { heading: 'INSTANCES', text: ({ instances, busy }) => `${instances}${busy > 0 ? ` (${busy} busy)` : ''}` },
      { heading: 'REVISION', text: (row) => row.revision ?? '-' },
      { heading: 'UPDATED', text: (row) => formatAge(row.updated_at, clock.nowMs()) },
      { heading: 'URL', text: (row) => row.url, paint: style.cyan },
    ]);
  },
});
