import { defineCommand } from '../../command/command.ts';

/** `berth apply`. */
export const apply = defineCommand({
  name: 'apply',
  summary: 'Make the account as a platform.yaml describes it: services, variables, domains, volumes',
  description:
    'Compares the file with the server, prints the changes and asks. Unchanged sources are not built again, and a second run changes ' +
    'nothing. Values of variables come from the environment or a .env file next to platform.yaml, and are never printed. When a change ' +
    'fails, other services go on, and the next run does what is left.',
  words: { '[file]': 'The file; platform.yaml by default' },
  options: {
    '--plan': 'Print the changes, and make none',
    '--exit-code': 'With --plan: exit with 3 when there are changes',
    '--prune': 'Delete services, domains, variables and empty volumes that are not in the file',
    '--delete-data': 'With --prune: also delete volumes that have data; they can be restored for 7 days',
    '-y, --yes': 'Apply without confirmation',
  },
  examples: [
    ['berth apply --plan', 'what would change'],
    ['berth apply', 'asks, then changes it'],
    ['berth apply production.yaml -y --json', 'in a pipeline'],
    ['berth apply --prune --plan', 'what is not in the file'],
  ],
  // Loaded on demand: the contract's schemas and the packer take longer to load than most commands take to run.
  run: async ({ words: [file = 'platform.yaml'], options }, context) => {
    const { runApply } = await import('../../apply/run-apply.ts');
    return runApply(file, options, context);
  },
});
