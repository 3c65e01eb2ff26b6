import { UsageError } from '../errors/usage-error.ts';
import type { Context } from './context.ts';

/** What a command is about to take away. */
export interface Loss {
  /** What goes, and what stays, one sentence each. */
  readonly effects: readonly string[];
  /** Answered with yes or no. */
  readonly question: string;
}

interface YesOption {
  /** `-y`: do not ask. */
  readonly yes?: boolean;
}

/** @throws UsageError where a question has to be asked and nobody can answer it; {@link confirmLoss} adds what is at stake */
export function requireAnswer(
  { yes }: YesOption,
  { prompts }: Pick<Context, 'prompts'>,
  effects: readonly string[] = [],
) {
  if (yes || prompts.isInteractive) return;
  throw new UsageError(
    [...effects, 'This asks first, and there is no terminal. Add -y to go on without asking.'].join('\n'),
  );
}

/**
 * Says what a command takes away, and asks unless `-y` is given. False when the person says no.
 * @throws UsageError where nobody can be asked and there is no `-y`
 */
export async function confirmLoss(
  { effects, question }: Loss,
  options: YesOption,
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
): Promise<boolean> {
  requireAnswer(options, { prompts }, effects);
  for (const effect of effects) options.yes ? output.say(effect) : output.warn(effect);
  if (options.yes || (await prompts.confirm(question))) return true;
  output.warn('Nothing was changed.');
  return false;
}
