import type { Instance } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { findLinkedName } from '../../link/linked-name.ts';
import { formatAge } from '../../output/format-age.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import type { Style } from '../../output/style.ts';

/** `berth ps`. */
export const ps = defineCommand({
  name: 'ps',
  summary: 'List running instances with their load',
  description:
    'Lists the instances of one deployment, or of all. CPU is the number of CPUs in use over about ten seconds. CPU and ' +
    'memory of a new instance show after its first measurement. With several servers, what the others run is at most ' +
    '15 seconds old.',
  words: { '[name]': 'Only this deployment; that of berth.json by default' },
  options: { '--all': 'List all deployments, also in a linked folder' },
  examples: [
    ['berth ps', 'all instances of the account'],
    ['berth ps my-app', 'those of one deployment'],
    ['berth ps my-app --json', 'the same as one JSON array'],
  ],
  async run({ words: [word], options: { all } }, context) {
    const { connect, output, clock } = context;
    const name = word ?? (all ? undefined : await findLinkedName(context));
    const client = await connect();
    const instances = await client.get('/v1/deployment/instances', { params: { query: { name } } });
    output.json(instances);
    if (instances.length === 0) {
      output.say(`No instance ${name === undefined ? '' : `of ${name} `}is running.`);
      return;
    }
    const { style } = output;
    const hasServers = instances.some(({ server }) => server !== null);
    output.table(instances, [
      ...(name === undefined ? [{ heading: 'NAME', text: (row: Instance) => row.deployment_name }] : []),
      { heading: 'INSTANCE', text: (row) => row.instance },
      { heading: 'REVISION', text: (row) => row.revision },
      {
        heading: 'STATE',
        text: ({ state, busy }) => `${state}${busy ? ' (busy)' : ''}`,
        paint: (text, row) => paintState(row.state, text, style),
      },
      { heading: 'STARTED', text: (row) => formatAge(row.started_at, clock.nowMs()) },
      { heading: 'CPU', text: ({ cpu }) => (cpu === null ? '-' : cpu.toFixed(2)) },
      { heading: 'MEMORY', text: ({ memory_bytes: bytes }) => (bytes === null ? '-' : formatBytes(bytes)) },
      { heading: 'REQUESTS', text: (row) => String(row.requests) },
      ...(hasServers ? [{ heading: 'SERVER', text: (row: Instance) => row.server ?? '-' }] : []),
    ]);
  },
});

function paintState(state: Instance['state'], text: string, style: Style): string {
  if (state === 'ready') return style.green(text);
  if (state === 'unready') return style.red(text);
  return state === 'suspended' ? style.dim(text) : style.yellow(text);
}
