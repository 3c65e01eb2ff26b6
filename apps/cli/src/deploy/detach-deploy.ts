import type { DeployEvent } from '@berth/contract';
import type { Context } from '../command/context.ts';

/** Waits until a deploy has an id, prints it and stops following. @returns the exit code */
export async function detachDeploy(
  events: AsyncIterable<DeployEvent>,
  { output }: Pick<Context, 'output'>,
): Promise<number> {
  for await (const event of events) {
    output.json({ deploy_id: event.deploy_id });
    output.print(event.deploy_id);
    output.say(`The deploy continues on the server. \`berth follow ${event.deploy_id}\` follows it.`);
    return 0;
  }
  return 1;
}
