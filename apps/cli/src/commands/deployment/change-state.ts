import type { StateChange } from '@berth/contract';
import { type CommandSpec, defineCommand } from '../../command/command.ts';
import { detachDeploy } from '../../deploy/detach-deploy.ts';
import { showEvents } from '../../deploy/show-events.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';

/** `berth restart`. */
export const restart = changeCommand('restart', {
  summary: 'Replace all instances by new ones, without dropping requests',
  description:
    'New instances of the same revision start before the old ones drain. Settings and variables stay those of the ' +
    'revision; `berth redeploy` starts a new revision with the latest variables.',
  examples: [
    ['berth restart my-app', 'waits until the new instances serve'],
    ['berth restart my-app --detach', 'prints the deploy ID and exits'],
  ],
});

/** `berth stop`. */
export const stop = changeCommand('stop', {
  summary: 'Stop a deployment until it is resumed',
  description:
    'Its instances finish their requests and end. New requests start none: they are answered with 503 and ' +
    '`berth-reason: stopped`. Its schedule is paused. URL, domains, variables and volumes stay. `berth resume`, or the ' +
    'next deploy, starts it again.',
  examples: [['berth stop my-app', 'no instances, and no cost for them']],
});

/** `berth resume`. */
export const resume = changeCommand('resume', {
  summary: 'Start a stopped deployment again',
  description: 'Starts the current revision with the latest variables. It stays stopped if the start fails.',
  examples: [['berth resume my-app', 'waits until it serves']],
});

const ACTIONS: Readonly<Record<StateChange, string>> = {
  restart: 'Restarting',
  stop: 'Stopping',
  resume: 'Starting',
};

/** Defines the command of a {@link StateChange}. */
function changeCommand(
  change: StateChange,
  texts: Pick<CommandSpec, 'summary' | 'description' | 'examples'>,
): CommandSpec {
  return defineCommand({
    name: change,
    ...texts,
    words: LINKED_WORD,
    options: { '-d, --detach': 'Print the deploy ID and exit without waiting' },
    async run({ words: [word], options }, context) {
      const name = await requireName(word, context);
      const client = await context.connect();
      const events = client.changeState(change, name, {
        onReconnect: () => context.output.showStatus('Reconnecting…'),
      });
      if (options.detach) return detachDeploy(events, context);
      return showEvents(events, context, { name: change === 'stop' ? undefined : name, action: ACTIONS[change] });
    },
  });
}
