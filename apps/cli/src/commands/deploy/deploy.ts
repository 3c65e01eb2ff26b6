import { defineCommand } from '../../command/command.ts';
import type { DeployOptions } from '../../deploy/deploy-options.ts';
import { SETTING_FLAGS } from '../../deploy/setting-flags.ts';

/** `berth deploy`. */
export const deploy = defineCommand({
  name: 'deploy',
  summary: 'Deploy a folder and show progress until it is ready',
  description:
    'Leaves out node_modules, .git, and files matched by .gitignore and .berthignore. Deploying an existing name replaces the ' +
    'service without downtime. Flags override berth.json in the folder, which overrides the deployed settings; a ' +
    'setting given in neither stays as it is. A new deployment uses the defaults in parentheses. Detaching a volume ' +
    'asks for confirmation.\n\n' +
    'Exit codes: 0 when it is ready, or accepted with --detach; 1 when it failed, was canceled or refused; 2 for a wrong ' +
    'command line or berth.json; 130 after Ctrl-C. The deploy then continues on the server.',
  words: { '[dir]': 'The folder; the current one by default' },
  options: {
    '-n, --name <name>': 'Name, used in the URL; from berth.json, package.json or the folder by default',
    ...SETTING_FLAGS,
    '--archive <file>': 'Deploy this .tar.gz instead of a folder',
    '--source-object <volume/path>': 'Deploy an archive stored in a volume',
    '--tag <tag>': 'Give the new revision a tag, with an address of its own',
    '--no-traffic': 'Start and check the new revision, and send it no requests',
    '--canary <percent>': 'Send it this share of the requests, and watch its errors',
    '--canary-for <duration>': 'Time until a canary that does well gets all requests, e.g. 90s or 2h (10m)',
    '-w, --wait': 'Wait until it is ready, which is the default',
    '-d, --detach': 'Print the deploy ID and exit without waiting',
    '-y, --yes': 'Detach volumes without confirmation',
  },
  examples: [
    ['berth deploy', 'the current folder'],
    ['berth deploy ./shop --name shop --memory 512Mi --port 3000', 'with settings'],
    ['berth deploy ./shop --min-instances 1', 'with an instance that is always ready'],
    ['berth deploy --volume /data=shop-data --schedule "0 3 * * *"', 'with storage and a nightly call'],
    ['berth deploy --memory 2Gi', 'with more memory; all other settings stay as they are'],
    ['berth deploy --no-volume', 'without its volumes; their data is kept'],
    ['berth deploy --no-traffic --tag beta', 'to try it at an address of its own'],
    ['berth deploy --canary 10', '10 % of the requests first, all of them when it does well'],
    ['URL=$(berth deploy ./shop -q)', 'prints only the URL, for scripts'],
  ],
  // Loaded on demand: the contract's schemas and the packer take longer to load than most commands take to run.
  run: async ({ words: [dir], options }, context) => {
    const { runDeploy } = await import('../../deploy/run-deploy.ts');
    return runDeploy(dir, options as DeployOptions, context);
  },
});
