import { defineCommand } from '../../command/command.ts';
import type { RedeployOptions } from '../../deploy/deploy-options.ts';
import { detachDeploy } from '../../deploy/detach-deploy.ts';
import { confirmDetach, hasVolumeFlags } from '../../deploy/merge-volumes.ts';
import { SETTING_FLAGS } from '../../deploy/setting-flags.ts';
import { showEvents } from '../../deploy/show-events.ts';
import { LINKED_WORD, requireName } from '../../link/linked-name.ts';

/** `berth redeploy`. */
export const redeploy = defineCommand({
  name: 'redeploy',
  summary: 'Redeploy the current build, optionally with other settings',
  description:
    'Starts a new revision from the current build, with the given settings and the latest variables. Other settings ' +
    'stay as they are. Detaching a volume asks for confirmation. Without settings, the service restarts. ' +
    'To deploy new source, use `berth deploy`.',
  words: LINKED_WORD,
  options: {
    ...SETTING_FLAGS,
    '-d, --detach': 'Print the deploy ID and exit without waiting',
    '-y, --yes': 'Detach volumes without confirmation',
  },
  examples: [
    ['berth redeploy my-app --memory 512Mi --concurrency 20', 'with less memory and fewer requests at once'],
    ['berth redeploy my-app --min-instances 1', 'keeps one instance running to avoid cold starts'],
    ['berth redeploy my-app --no-schedule', 'without its schedule'],
    ['berth redeploy my-app', 'restarts it with the same settings'],
  ],
  async run({ words: [word], options: given }, context) {
    const name = await requireName(word, context);
    const options = given as RedeployOptions;
    // Loaded on demand: the contract's schemas take longer to load than most commands take to run.
    const { readSettingsChanges } = await import('../../deploy/read-settings.ts');
    readSettingsChanges(options, {});
    const client = await context.connect();
    const { volumes: mounted } = hasVolumeFlags(options)
      ? await client.get('/v1/deployment/{name}', { params: { path: { name } } })
      : { volumes: {} };
    const changes = readSettingsChanges(options, mounted);
    if (changes.volumes && !(await confirmDetach(mounted, changes.volumes, options, context))) return 1;
    const events = client.redeploy(name, changes, {
      onReconnect: () => context.output.showStatus('Reconnecting…'),
    });
    return options.detach
      ? detachDeploy(events, context)
      : showEvents(events, context, { name, action: 'Redeploying' });
  },
});
