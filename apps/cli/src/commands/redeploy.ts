import { defineCommand } from '../command.ts';
import { detachDeploy } from '../deploy/detach-deploy.ts';
import { type RedeployOptions, readSettingsChanges } from '../deploy/read-settings-changes.ts';
import { showEvents } from '../deploy/show-events.ts';

export const redeploy = defineCommand<RedeployOptions & { readonly detach?: boolean }>({
  name: 'redeploy',
  summary: 'Start what serves anew, with other settings; no source, no build',
  description:
    'Makes a new revision of the program that serves, with the settings that are given and the newest variables; all other ' +
    'settings stay as they are. Volumes are declared as a whole. Without any setting the service is started anew as it is. ' +
    'What it is built from is changed by `berth deploy`.',
  words: [{ name: 'name', description: 'Name of the deployment' }],
  options: [
    { flags: '--port <number>', description: 'Port the service listens on, given to it as PORT' },
    { flags: '--memory <size>', description: 'Memory of an instance, 128Mi to 32Gi' },
    { flags: '--cpu <number>', description: 'CPUs of an instance: 0.08 to 1, or 2, 4, 6, 8' },
    { flags: '--timeout <seconds>', description: 'Longest a request may take, 1 to 3600' },
    { flags: '--concurrency <number>', description: 'Requests an instance serves at once, 1 to 1000' },
    { flags: '--max-instances <number>', description: 'Most instances, up to 1000; 0 leaves it to the platform' },
    { flags: '--session-affinity', description: 'Keep a visitor with one instance' },
    { flags: '--no-session-affinity', description: 'Spread the requests of a visitor' },
    { flags: '--http2', description: 'Speak HTTP/2 without TLS (h2c) to the service' },
    { flags: '--no-http2', description: 'Speak HTTP/1.1 to the service' },
    {
      flags: '--volume </path=name[:ro][:sub/path]>',
      description: 'Mount this volume and no others than those given; may be given more than once',
      isRepeatable: true,
    },
    { flags: '--volumes <json>', description: 'All volumes as JSON, as for `berth deploy`' },
    { flags: '--no-volumes', description: 'Mount none; their data is kept' },
    { flags: '--schedule <cron>', description: 'Call POST /cron at these times, in five cron fields' },
    { flags: '--no-schedule', description: 'Call it no more' },
    { flags: '--timezone <zone>', description: 'Time zone of the schedule, such as Europe/Berlin' },
    { flags: '-d, --detach', description: 'Print the id of the deploy and leave it to itself' },
  ],
  examples: [
    ['berth redeploy my-app --memory 512Mi --concurrency 20', 'with less memory and fewer requests at once'],
    ['berth redeploy my-app --no-schedule', 'without its schedule'],
    ['berth redeploy my-app', 'starts it anew as it is'],
  ],
  async run({ words: [name = ''], options: { detach, ...options } }, context) {
    const changes = readSettingsChanges(options);
    const client = await context.connect();
    const events = client.redeploy(name, changes, {
      onReconnect: () => context.output.showStatus('Reconnecting…'),
    });
    return detach ? detachDeploy(events, context) : showEvents(events, context, { name });
  },
});
