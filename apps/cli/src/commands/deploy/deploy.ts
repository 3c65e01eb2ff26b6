import { defineCommand } from '../../command/command.ts';
import type { DeployOptions } from '../../deploy/deploy-options.ts';
import { SETTING_FLAGS } from '../../deploy/setting-flags.ts';

/** `berth deploy`. */
export const deploy = defineCommand({
  name: 'deploy',
  summary: 'Deploy a folder, and show what happens until it serves',
  description:
    'Packs a folder, uploads it, and shows the build and the start until the address serves. What .gitignore and ' +
    '.berthignore name is left out, and node_modules and .git always. A deploy of the same name replaces the service ' +
    'without a break. A flag wins over berth.json in the folder, which wins over what is deployed: a setting that ' +
    'neither names stays as it is, and a new deployment starts with the defaults in parentheses. Detaching a volume ' +
    'asks first.',
  words: { '[dir]': 'The folder; the current one by default' },
  options: {
    '-n, --name <name>':
      'Name, and first part of the address; by default that of berth.json, package.json or the folder',
    ...SETTING_FLAGS,
    '--archive <file>': 'Deploy this gzip tar in place of a folder',
    '--source-object <volume/path>': 'Deploy an archive that is in a volume already',
    '-d, --detach': 'Print the id of the deploy and leave it to itself',
    '-y, --yes': 'Detach volumes without asking',
  },
  examples: [
    ['berth deploy', 'the current folder'],
    ['berth deploy ./shop --name shop --memory 512Mi --port 3000', 'with settings'],
    ['berth deploy ./shop --min-instances 1', 'with an instance that is always ready'],
    ['berth deploy --volume /data=shop-data --schedule "0 3 * * *"', 'with storage and a nightly call'],
    ['berth deploy --memory 2Gi', 'with more memory; all other settings stay as they are'],
    ['berth deploy --no-volume', 'without its volumes; their data is kept'],
    ['URL=$(berth deploy ./shop -q)', 'the address alone, in a script'],
  ],
  // Loaded on demand: the contract's schemas and the packer take longer to load than most commands take to run.
  run: async ({ words: [dir], options }, context) => {
    const { runDeploy } = await import('../../deploy/run-deploy.ts');
    return runDeploy(dir, options as DeployOptions, context);
  },
});
