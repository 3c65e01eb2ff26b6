import { UsageError } from '../errors/usage-error.ts';
import type { Context } from './context.ts';

/** The removal that a command asks to confirm. */
export interface Loss {
  /** The removed and the kept things, one sentence each. */
  readonly effects: readonly string[];
  /** A question to answer with yes or no. */
  readonly question: string;
}

interface YesOption {
  /** `-y`: do not ask. */
  readonly yes?: boolean;
}

/** Checks that a question can be asked, unless `-y` is given. @throws UsageError without a terminal */
export function requireAnswer(
  { yes }: YesOption,
  { prompts }: Pick<Context, 'prompts'>,
  effects: readonly string[] = [],
) {
  if (yes || prompts.isInteractive) return;
  throw new UsageError(
    [...effects, 'This command asks for confirmation, and there is no terminal. Add -y to confirm.'].join('\n'),
  );
}

/**
 * Prints what a command removes, and asks unless `-y` is given. Returns false when the answer is no.
 * @throws UsageError without a terminal and without `-y`
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
