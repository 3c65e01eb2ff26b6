import type { Frame, Part } from '@berth/contract/agent';
import type { LogFields, Logger } from '@berth/kit';
import type { AgentOptions } from '../../compose/agent-options.ts';
import { factsOf, type Model, type ModelRequest } from '../../models/model.ts';
import { type ScriptedStep, scripted } from '../../models/scripted.ts';
import { type OpenTestAgentOptions, openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';
import { type ReadTurn, readTurn } from '../../testing/read-turn.ts';

export interface LoopAgent extends TestAgent {
  /** What the model was asked, in order. */
  readonly asked: readonly ModelRequest[];
  /** The usage lines. */
  readonly usage: readonly LogFields[];
  /** Says something in a chat and reads the answer; `body` adds to the request. */
  say(text: string, body?: object, chatId?: string, token?: string): Promise<ReadTurn>;
}

/** An agent with the built-in loop around a scripted model. */
export async function openLoopAgent(
  steps: readonly ScriptedStep[] | Model,
  options: Partial<AgentOptions> & Pick<OpenTestAgentOptions, 'hasAuth' | 'clock' | 'logger'> = {},
): Promise<LoopAgent> {
  const asked: ModelRequest[] = [];
  const usage: LogFields[] = [];
  const inner = 'stream' in steps ? steps : scripted(steps);
  const model: Model = {
    ...factsOf(inner),
    stream(request) {
      asked.push(request);
      return inner.stream(request);
    },
  };
  const fixture = await openTestAgent({ model, logger: usageLogger(usage), ...options, handler: undefined } as object);
  return {
    ...fixture,
    asked,
    usage,
    async say(text, body = {}, chatId = 'c1', token = options.hasAuth === false ? undefined : 'alice') {
      const request = { messages: [{ role: 'user', content: text }], ...body };
      return await readTurn(await fixture.call(token, 'POST', `/?id=${chatId}`, request));
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export function framesOf<Type extends Frame['type']>(turn: ReadTurn, type: Type) {
  return turn.frames.filter((frame): frame is Extract<Frame, { type: Type }> => frame.type === type);
}

/** The steps of the chat's answers, as they read back. */
export async function storedSteps(fixture: TestAgent, chatId = 'c1'): Promise<readonly Part[]> {
  const chat = await (await fixture.call('alice', 'GET', `/chats/${chatId}`)).json();
  const messages = chat.messages as { readonly parts?: readonly Part[] }[];
  return messages.flatMap(({ parts = [] }) => parts.filter(({ type }) => type === 'step'));
}

function usageLogger(lines: LogFields[]): Logger {
  const drop = () => {};
  const info = (fields: LogFields) => {
    if (fields['event'] === 'usage') lines.push(fields);
  };
  const logger: Logger = { debug: drop, info, warn: drop, error: drop, child: () => logger };
  return logger;
}
