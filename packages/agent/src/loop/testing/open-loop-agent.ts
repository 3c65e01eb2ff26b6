import type { Frame, Part } from '@berth/contract/agent';
import type { LogFields, Logger } from '@berth/kit';
import { createParser } from 'eventsource-parser';
import type { AgentOptions } from '../../define/agent-options.ts';
import type { Model, ModelRequest } from '../../models/model.ts';
import { type ScriptedStep, scripted } from '../../models/scripted.ts';
import { type OpenTestAgentOptions, openTestAgent, type TestAgent } from '../../testing/open-test-agent.ts';

/** A turn as its caller saw it. */
export interface SeenTurn {
  readonly status: number;
  readonly frames: readonly Frame[];
  readonly text: string;
  readonly isDone: boolean;
}

export interface LoopAgent extends TestAgent {
  /** What the model was asked, in order. */
  readonly asked: readonly ModelRequest[];
  /** The usage lines. */
  readonly usage: readonly LogFields[];
  /** Says something in a chat and reads the answer; `body` adds to the request. */
  say(text: string, body?: object, chatId?: string, token?: string): Promise<SeenTurn>;
}

/** An agent with the built-in loop around a scripted model. */
export async function openLoopAgent(
  steps: readonly ScriptedStep[] | Model,
  options: Partial<AgentOptions> & Pick<OpenTestAgentOptions, 'hasAuth' | 'clock'> = {},
): Promise<LoopAgent> {
  const asked: ModelRequest[] = [];
  const usage: LogFields[] = [];
  const inner = 'stream' in steps ? steps : scripted(steps);
  const model: Model = {
    name: inner.name,
    stream(request) {
      asked.push(request);
      return inner.stream(request);
    },
  };
  const world = await openTestAgent({ model, logger: usageLogger(usage), ...options, handler: undefined } as object);
  return {
    ...world,
    asked,
    usage,
    say: (text, body = {}, chatId = 'c1', token = options.hasAuth === false ? undefined : 'alice') =>
      readTurn(world, token, chatId, { messages: [{ role: 'user', content: text }], ...body }),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

async function readTurn(world: TestAgent, token: string | undefined, chatId: string, body: object): Promise<SeenTurn> {
  const response = await world.call(token, 'POST', `/?id=${chatId}`, body);
  const frames: Frame[] = [];
  let isDone = false;
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') isDone = true;
      else frames.push(JSON.parse(data));
    },
  });
  parser.feed(await response.text());
  const text = frames.map((frame) => (frame.type === 'text' ? frame.text : '')).join('');
  return { status: response.status, frames, text, isDone };
}

export function framesOf<Type extends Frame['type']>(turn: SeenTurn, type: Type) {
  return turn.frames.filter((frame): frame is Extract<Frame, { type: Type }> => frame.type === type);
}

/** The steps of the chat's last answer, as they were stored. */
export async function storedSteps(world: TestAgent, chatId = 'c1'): Promise<readonly Part[]> {
  const chat = await (await world.call('alice', 'GET', `/chats/${chatId}`)).json();
  return (chat.messages.at(-1).parts as Part[]).filter(({ type }) => type === 'step');
}

function usageLogger(lines: LogFields[]): Logger {
  const drop = () => {};
  const info = (fields: LogFields) => {
    if (fields['event'] === 'usage') lines.push(fields);
  };
  const logger: Logger = { debug: drop, info, warn: drop, error: drop, child: () => logger };
  return logger;
}
