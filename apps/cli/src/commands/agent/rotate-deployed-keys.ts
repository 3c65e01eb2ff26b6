import type { Context } from '../../command/context.ts';
import { applyEnvironment } from '../env/apply-environment.ts';
import { makeAgentKey } from './make-agent-key.ts';

/** `BERTH_AGENT_KEYS`, `BERTH_AGENT_KEYS_2`…: the highest number is current. Values can't be read back, so each key has its own variable. */
const VARIABLE = 'BERTH_AGENT_KEYS';
const NUMBERED = /^BERTH_AGENT_KEYS(?:_([1-9]\d{0,5}))?$/;
/** The agent's log line after it re-encrypted everything. */
const SEALED = 'connections are encrypted with the current key';

interface KeyVariable {
  readonly name: string;
  readonly number: number;
  readonly updatedAt: string;
}

type Needs = Pick<Context, 'connect' | 'output'>;

/** Adds a new current key to a deployed agent. @returns the exit code */
export async function rotateDeployedKeys(name: string, context: Needs): Promise<number> {
  const [newest] = await keysOf(name, context);
  const number = (newest?.number ?? 0) + 1;
  const variable = number === 1 ? VARIABLE : `${VARIABLE}_${number}`;
  const code = await applyEnvironment(name, { set: { [variable]: makeAgentKey(`k${number}`) } }, context);
  if (code !== 0) return code;
  context.output.say(
    'The agent re-encrypts everything with it 30 seconds after it starts. Older keys stay valid until then.',
  );
  if (newest) context.output.say(`Then: berth agent rotate-keys ${name} --finish   removes the older ones.`);
  return 0;
}

/** Removes keys that are no longer in use according to the agent's log. @returns the exit code */
export async function finishDeployedKeys(name: string, isForced: boolean, context: Needs): Promise<number> {
  const [newest, ...older] = await keysOf(name, context);
  if (!newest || older.length === 0) {
    context.output.say(`${name} has no older keys.`);
    return 0;
  }
  if (!isForced && !(await hasSealed(name, newest, context))) {
    context.output.fail({
      code: 'conflict',
      message: `${name} has not yet logged that everything is encrypted with its newest key.`,
      hints: [
        `It does so 30 seconds after it starts: run berth open ${name}, and try again.`,
        '--force removes the older keys now; connections still encrypted with them must be connected again.',
      ],
    });
    return 1;
  }
  return applyEnvironment(name, { unset: older.map((variable) => variable.name) }, context);
}

/** Newest first. */
async function keysOf(name: string, { connect }: Needs): Promise<readonly KeyVariable[]> {
  const variables = await (await connect()).get('/v1/env/list', { params: { query: { name } } });
  return variables
    .flatMap(({ key, updated_at }): KeyVariable[] => {
      const match = NUMBERED.exec(key);
      return match ? [{ name: key, number: Number(match[1] ?? 1), updatedAt: updated_at }] : [];
    })
    .sort((a, b) => b.number - a.number);
}

async function hasSealed(name: string, { number, updatedAt }: KeyVariable, { connect }: Needs): Promise<boolean> {
  const query = `message:"${SEALED}" AND jsonPayload.key=~"^k${number}-"`;
  const client = await connect();
  const { logs } = await client.post('/v1/deployment/logs', {
    body: { deployment_name: name, since: updatedAt, limit: 1, query },
  });
  return logs.length > 0;
}
