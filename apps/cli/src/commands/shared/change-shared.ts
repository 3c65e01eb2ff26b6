import type { Context } from '../../command/context.ts';
import { cleanText } from '../../output/clean-text.ts';

/** Changes the account's shared variables, and prints which deploys apply them. */
export async function changeShared(
  body: { readonly set?: Record<string, string>; readonly unset?: string[]; readonly plain?: string[] },
  { connect, output }: Pick<Context, 'connect' | 'output'>,
): Promise<void> {
  const outcome = await (await connect()).post('/v1/env/shared/set', { body });
  output.json(outcome);
  output.print(cleanText(outcome.detail));
  for (const { name, deploy_id: id } of outcome.deployments) {
    if (id !== null) output.say(`  ${cleanText(name)}: \`berth follow ${cleanText(id)}\` follows its new revision`);
  }
}
