import type { AgentClient, TurnOptions, TurnRequest } from '@berth/client';
import { type Frame, flattenParts, type UiFrame } from '@berth/contract/agent';
import type { Context } from '../command/context.ts';
import { createTurnView } from './turn-view.ts';

/** A chat in a terminal. */
export type Conversation = ReturnType<typeof createConversation>;

/** Creates a {@link Conversation}. @param auto false when every tool that writes needs approval */
export function createConversation(
  agent: AgentClient,
  chatId: string,
  auto: boolean,
  context: Pick<Context, 'output' | 'standardOutput' | 'onInterrupt'>,
) {
  const { output, standardOutput, onInterrupt } = context;
  // An agent that doesn't store this person's chats gets all messages each time.
  const messages: { role: 'user' | 'assistant'; content: string }[] = [];

  const patience = {
    onLost: () => output.say('Connection lost. Reconnecting to the agent…'),
    onFound: () => output.say('It is back.'),
  };
  const show = async (turn: (options: TurnOptions) => AsyncGenerator<Frame>): Promise<readonly UiFrame[]> => {
    const view = createTurnView(output, (text) => void (output.isJson || standardOutput.write(text)));
    const frames = turn({ ...patience, onStartOver: view.startOver });
    using _stops = onInterrupt(() => {
      output.say('Stopping; Ctrl-C again to leave.');
      agent.stopTurn(chatId).catch((error: unknown) => output.warn(`Couldn't stop the answer: ${messageOf(error)}`));
    });
    let isAnswered = false;
    try {
      for await (const frame of frames) {
        output.json(frame);
        view.show(frame);
      }
      isAnswered = true;
    } finally {
      view.end();
      const content = flattenParts(view.parts);
      if (isAnswered || content !== '') messages.push({ role: 'assistant', content });
    }
    return view.asked;
  };
  return {
    /** Sends a message and shows the answer. @returns what the agent asks of the person */
    say(text: string, approvals: readonly string[] = []) {
      messages.push({ role: 'user', content: text });
      const request: TurnRequest = { messages: [...messages], approvals, auto };
      return show((options) => agent.sendTurn(chatId, request, options));
    },
    /** Shows the running answer. @throws BerthError `not_found` when none is running */
    follow: () => show((options) => agent.followTurn(chatId, options)),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
