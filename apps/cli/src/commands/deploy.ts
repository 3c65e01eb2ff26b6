import { defineCommand } from '../command.ts';
import type { DeployOptions } from '../deploy/deploy-options.ts';

export const deploy = defineCommand<DeployOptions>({
  name: 'deploy',
  summary: 'Deploy a folder, and show what happens until it serves',
  description:
    'Packs a folder, uploads it, and shows the build and the start until the address serves. What .gitignore and ' +
    '.berthignore name is left out, and node_modules and .git always. A deploy of the same name replaces the service ' +
    'without a break. Settings that are not given take their defaults: a deploy declares all of them anew.',
  words: [{ name: 'dir', description: 'The folder; the current one by default', isOptional: true }],
  options: [
    {
      flags: '-n, --name <name>',
      description: 'Name, and first part of the address; by default that of package.json or the folder',
    },
    { flags: '--port <number>', description: 'Port the service listens on, given to it as PORT (8080)' },
    { flags: '--memory <size>', description: 'Memory of an instance, 128Mi to 32Gi (1Gi)' },
    { flags: '--cpu <number>', description: 'CPUs of an instance: 0.08 to 1, or 2, 4, 6, 8 (1)' },
    { flags: '--timeout <seconds>', description: 'Longest a request may take, 1 to 3600 (600)' },
    { flags: '--concurrency <number>', description: 'Requests an instance serves at once, 1 to 1000 (80)' },
    { flags: '--max-instances <number>', description: 'Most instances, up to 1000; 0 leaves it to the platform (0)' },
    { flags: '--session-affinity', description: 'Keep a visitor with one instance' },
    { flags: '--http2', description: 'Speak HTTP/2 without TLS (h2c) to the service' },
    {
      flags: '--volume </path=name[:ro][:sub/path]>',
      description: 'Mount a volume, at a path such as /data or /mnt/files; may be given more than once',
      isRepeatable: true,
    },
    {
      flags: '--volumes <json>',
      description: 'All volumes as JSON: mount path to name, or {name, read_only, sub_path}',
    },
    { flags: '--schedule <cron>', description: 'Call POST /cron at these times, in five cron fields' },
    { flags: '--timezone <zone>', description: 'Time zone of the schedule, such as Europe/Berlin (UTC)' },
    { flags: '--archive <file>', description: 'Deploy this gzip tar in place of a folder' },
    { flags: '--source-object <volume/path>', description: 'Deploy an archive that is in a volume already' },
    { flags: '-d, --detach', description: 'Print the id of the deploy and leave it to itself' },
    { flags: '-y, --yes', description: 'Do not ask' },
  ],
  examples: [
    ['berth deploy', 'the current folder'],
    ['berth deploy ./shop --name shop --memory 512Mi --port 3000', 'with settings'],
    ['berth deploy --volume /data=shop-data --schedule "0 3 * * *"', 'with storage and a nightly call'],
    ['URL=$(berth deploy ./shop -q)', 'the address alone, in a script'],
  ],
  // Loaded when it is needed: the contract's schemas and the packer take longer to load than other commands to run.
  run: async ({ words: [dir], options }, context) => {
    const { runDeploy } = await import('../deploy/run-deploy.ts');
    return runDeploy(dir, options, context);
  },
});
