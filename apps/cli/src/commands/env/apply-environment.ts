import type { SetEnvironmentResponse } from '@berth/contract';
import type { Context } from '../../command/context.ts';
import { cleanText } from '../../output/clean-text.ts';

/** Changes a deployment's environment and prints the outcome. @returns the exit code: 1 when it failed to start */
export async function applyEnvironment(
  name: string,
  {
    set = {},
    unset = [],
    plain = [],
  }: { readonly set?: Record<string, string>; readonly unset?: string[]; readonly plain?: string[] },
  context: Pick<Context, 'connect' | 'output'>,
): Promise<number> {
  const { connect, output } = context;
  const keys = [...Object.keys(set), ...unset];
  const client = await connect();
  output.say(`Updating ${keys.join(', ')} of ${name}`);
  const outcome = await client.post('/v1/env/set', {
    body: { deployment_name: name, set, unset, ...(plain.length === 0 ? {} : { plain }) },
  });
  return showOutcome(name, outcome, context);
}

/** Prints the outcome of a change. @returns the exit code: 1 when the deployment failed to start with it */
export function showOutcome(
  name: string,
  outcome: SetEnvironmentResponse,
  { output }: Pick<Context, 'output'>,
): number {
  output.json(outcome);
  if (outcome.status === 'failed') {
    if (!output.isJson) {
      const hints = [`berth logs ${name}   shows what it printed`];
      output.fail({ code: 'start_failed', message: cleanText(outcome.detail), hints });
    }
    return 1;
  }
  output.print(cleanText(outcome.detail));
  if (outcome.status === 'applying' && outcome.deploy_id !== null) {
    output.say(`\`berth follow ${cleanText(outcome.deploy_id)}\` follows it.`);
  }
  return 0;
}
