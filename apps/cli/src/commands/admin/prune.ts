import type { PruneResult } from '@berth/contract';
import { defineCommand } from '../../command/command.ts';
import { confirmLoss, requireAnswer } from '../../command/confirm-loss.ts';
import type { Context } from '../../command/context.ts';
import { YES_OPTION } from '../../command/define-removal.ts';
import { formatBytes } from '../../output/format-bytes.ts';
import type { Column } from '../../output/format-table.ts';

type Row = PruneResult['removed'][number];

const WORDS: Readonly<Record<Row['what'], string>> = {
  caches: 'build caches',
  artifacts: 'built revisions that no rollback can use',
  archives: 'unused uploaded sources',
  images: 'build images and stages',
  volumes: 'deleted volumes past their restore period',
};

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'count', text: ({ count }) => String(count) },
  { heading: 'size', text: ({ size_bytes: bytes }) => (bytes === null ? '-' : formatBytes(bytes)) },
  { heading: 'what', text: ({ what }) => WORDS[what] },
];

/** `berth admin prune`. */
export const adminPrune = defineCommand({
  name: 'prune',
  summary: 'Remove build caches and unused data',
  description:
    'The running server prunes while builds continue. Live revisions, revisions that can be rolled back to, and caches of running builds stay. The next build of a deployment downloads its dependencies again.',
  options: { '--dry-run': 'Show what would be removed without removing it', ...YES_OPTION },
  examples: [
    ['berth admin prune --dry-run', 'how much it would free'],
    ['berth admin prune -y', 'without confirmation, for scripts'],
  ],
  async run({ options }, context) {
    const { connect, output, signal } = context;
    if (!options.dryRun) requireAnswer(options, context);
    const client = await connect();
    if (!options.yes || options.dryRun) {
      const plan = await client.post('/v1/admin/prune', { body: { dry_run: true }, signal });
      if (options.dryRun) return show(plan, 'would be freed', context);
      const effects = [
        `This removes build caches and unused data: about ${formatBytes(plan.size_bytes)}.`,
        'Live revisions and revisions that can be rolled back to stay. The next builds download their dependencies again.',
      ];
      if (!(await confirmLoss({ effects, question: 'Remove them?' }, options, context))) return 1;
    }
    output.showStatus('  Removing');
    const result = await client
      .post('/v1/admin/prune', { body: { dry_run: false }, signal })
      .finally(() => output.clearStatus());
    return show(result, 'freed', context);
  },
});

function show(result: PruneResult, verb: string, { output }: Pick<Context, 'output'>): number {
  output.json(result);
  const rows = result.removed.filter(({ count }) => count > 0);
  if (rows.length > 0) output.table(rows, COLUMNS);
  output.say(`${formatBytes(result.size_bytes)} ${verb}.`);
  return 0;
}
