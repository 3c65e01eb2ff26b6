import path from 'node:path';
import { requireAnswer } from '../command/confirm-loss.ts';
import type { Context } from '../command/context.ts';
import { UsageError } from '../errors/usage-error.ts';
import { cleanText } from '../output/clean-text.ts';
import { applyPlan } from './apply-plan.ts';
import { describeChange } from './change.ts';
import { makePlan, type Plan } from './make-plan.ts';
import { type PreparedService, prepareService } from './prepare-service.ts';
import { readPlatform } from './read-platform.ts';

/** The flags of `berth apply`, as typed. */
export interface ApplyOptions {
  readonly plan?: boolean;
  readonly exitCode?: boolean;
  readonly prune?: boolean;
  readonly deleteData?: boolean;
  readonly yes?: boolean;
}

/** The exit code of `--plan --exit-code` when there is something to change. */
const HAS_CHANGES = 3;

/** Runs `berth apply`. @returns the exit code: 1 when a change failed or the person declined */
export async function runApply(word: string, options: ApplyOptions, context: Context): Promise<number> {
  const { output, workingFolder, environment } = context;
  if (options.deleteData && !options.prune) throw new UsageError('--delete-data needs --prune.');
  const platform = await readPlatform(path.resolve(workingFolder, word), environment);
  await using prepared = new AsyncDisposableStack();
  const services: PreparedService[] = [];
  for (const [name, service] of Object.entries(platform.file.services)) {
    services.push(prepared.use(await prepareService(name, service, platform, context)));
  }
  const client = await context.connect();
  const { prune = false, deleteData = false } = options;
  const plan = await makePlan(client, platform, services, { prune, deleteData });
  const { changes, compared } = plan;
  if (options.plan) {
    output.json(plan);
    showPlan(plan, context);
    return options.exitCode && changes.length > 0 ? HAS_CHANGES : 0;
  }
  if (changes.length > 0) {
    requireAnswer(options, context, changes.map(toLine));
    showPlan(plan, context);
    if (!options.yes && !(await context.prompts.confirm(`Apply to ${client.baseUrl}?`))) {
      output.warn('Nothing was changed.');
      return 1;
    }
  }
  const count = await applyPlan({ ...plan, compared }, { client, services, findValue: platform.findValue, context });
  output.json({ ...count });
  if (count.applied + count.failed === 0) output.print('No changes.');
  if (count.failed === 0) return 0;
  output.say(
    `${count.applied} applied, ${count.failed} failed. Run the same command again after you corrected the cause.`,
  );
  return 1;
}

function showPlan({ changes, kept }: Plan, { output }: Pick<Context, 'output'>): void {
  for (const change of changes) output.print(toLine(change));
  for (const sentence of kept) output.say(`  ${cleanText(sentence)}`);
  if (changes.length === 0) output.print('No changes.');
}

function toLine(change: Plan['changes'][number]): string {
  const { sign, text } = describeChange(change);
  // Names of services and domains come from the server.
  return cleanText(`${sign} ${text}`);
}
