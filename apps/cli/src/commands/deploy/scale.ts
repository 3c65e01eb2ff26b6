import { defineCommand } from '../../command/command.ts';
import { detachDeploy } from '../../deploy/detach-deploy.ts';
import { showEvents } from '../../deploy/show-events.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';

/** `berth scale`. */
export const scale = defineCommand({
  name: 'scale',
  summary: 'Change how many instances a deployment may have, without a build',
  description:
    'Starts a new revision of the current build with these settings; others stay as they are. `berth redeploy` changes ' +
    'any setting. The next deploys keep these values unless berth.json or a flag has others.',
  words: LINKED_WORD,
  options: {
    '--min <number>': 'Instances that are kept ready without requests; 0 for none',
    '--max <number>': 'Maximum instances; 0 = no fixed limit',
    '--concurrency <number>': 'Concurrent requests per instance, 1–1000',
    '-d, --detach': 'Print the deploy ID and exit without waiting',
  },
  examples: [
    ['berth scale my-app --min 1 --max 10', 'at least one instance, at most ten'],
    ['berth scale my-app --concurrency 20', 'more instances for the same traffic'],
    ['berth scale my-app --min 0', 'scales to zero without requests'],
  ],
  async run({ words: [word], options }, context) {
    const name = await requireName(word, context);
    const changes = {
      ...(options.min === undefined ? {} : { min_instances: readCount('--min', options.min) }),
      ...(options.max === undefined ? {} : { max_instances: readCount('--max', options.max) }),
      ...(options.concurrency === undefined ? {} : { concurrency: readCount('--concurrency', options.concurrency) }),
    };
    if (Object.keys(changes).length === 0) throw new UsageError('Give --min, --max or --concurrency.');
    const client = await context.connect();
    const events = client.redeploy(name, changes, { onReconnect: () => context.output.showStatus('Reconnecting…') });
    return options.detach ? detachDeploy(events, context) : showEvents(events, context, { name, action: 'Scaling' });
  },
});

/** @throws UsageError; the server checks the bounds */
function readCount(flag: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new UsageError(`${flag} must be a whole number, such as 2`);
  return Number(text);
}
