import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Says which volumes a deploy detaches, and asks. False when the person says no.
 * @throws UsageError where nobody can be asked and there is no `-y`
 */
export async function confirmDetach(
  detached: readonly string[],
  { yes }: { readonly yes?: boolean },
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
): Promise<boolean> {
  if (detached.length === 0) return true;
  if (!yes && !prompts.isInteractive) {
    throw new UsageError(`${detached.join('\n')}\nDetaching asks first, and there is no terminal. Add -y to detach.`);
  }
  for (const line of detached) output.warn(line);
  return yes || prompts.confirm('Deploy without these volumes?');
}
