import { confirmLoss } from '../command/confirm-loss.ts';
import type { Context } from '../command/context.ts';
import { cleanText } from '../output/clean-text.ts';
import { describeRollback } from './describe-rollback.ts';
import { showEvents } from './show-events.ts';

/** A revision to make live. */
export interface Restoration {
  readonly name: string;
  /** The previous revision by default. */
  readonly revision?: string | undefined;
  readonly yes?: boolean | undefined;
  /** The question about the revision that is going to serve. */
  question(revision: string): string;
}

/** Makes another revision live: prints what changes, asks on a terminal, and shows the events. @returns the exit code */
export async function restoreRevision(
  { name, revision, yes = false, question }: Restoration,
  context: Context,
): Promise<number> {
  const { output, prompts } = context;
  const client = await context.connect();
  const preview = await client.get('/v1/deployment/rollback/preview', {
    params: { query: { name, ...(revision === undefined ? {} : { revision }) } },
  });
  const changes = describeRollback(preview).map((line) => cleanText(line));
  // Scripts have no terminal, and the change can be undone.
  const isSure = yes || !prompts.isInteractive;
  const loss = { effects: [changes.join('\n')], question: question(preview.to) };
  if (!(await confirmLoss(loss, { yes: isSure }, context))) return 1;
  // The listed revision, even if another deploy has ended meanwhile.
  const events = client.rollback(name, {
    onReconnect: () => output.showStatus('Reconnecting…'),
    revision: preview.to,
  });
  return showEvents(events, context, { action: 'Changing the revision' });
}
