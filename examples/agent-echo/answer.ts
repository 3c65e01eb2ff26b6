import { setTimeout as sleep } from 'node:timers/promises';
import type { HandlerContext, HandlerItem } from '@berth/agent';
import { showEverything } from './show-everything.ts';

type Answer = (context: HandlerContext, words: readonly string[]) => AsyncIterable<HandlerItem>;

const HELP = `Say anything and I say it back. Some words do more:

- \`everything\`: one of each component
- \`slow 30\`: counts for 30 seconds; stop me, or reload the page and find me counting
- \`long 64\`: 64 KiB of text
- \`error\`: fails before it says anything; \`error later\`: after
- \`history\`: how many messages I was given
- \`who am i\`: what my token says of you
`;

/** What the first word asks for; without one of these the message is said back. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  async *help() {
    yield HELP;
  },
  everything: showEverything,
  async *slow({ signal }, [seconds]) {
    const count = within(seconds, 10, 600);
    for (let second = 1; second <= count; second++) {
      await sleep(1_000, undefined, { signal });
      yield `${second} `;
    }
    yield 'done.';
  },
  async *long(_context, [kib]) {
    const line = `${'All work and no play makes Jack a dull boy. '.repeat(23)}`.slice(0, 1_023);
    for (let written = 0; written < within(kib, 16, 10_240); written++) yield `${line}\n`;
  },
  async *error(_context, [when]) {
    if (when === 'later') yield 'So far all is well. ';
    throw new Error('This is the error that was asked for: only the log may show it.');
  },
  async *history({ messages }) {
    yield messages.length === 1 ? 'I was given one message.' : `I was given ${messages.length} messages.`;
  },
  async *who({ user }) {
    yield user ? `You are ${user.name ?? user.id} (\`${user.id}\`).` : 'I do not know you.';
  },
};

/** Answers a turn. */
export async function* answer(context: HandlerContext): AsyncGenerator<HandlerItem> {
  const text = lastText(context);
  const [first = '', ...words] = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = Object.hasOwn(ANSWERS, first) ? ANSWERS[first] : undefined;
  if (known) yield* known(context, words);
  else yield* echo(context, text);
}

/** Word by word, as a model would. */
async function* echo({ signal }: HandlerContext, text: string): AsyncGenerator<HandlerItem> {
  yield 'You said: ';
  for (const word of text.split(/(?<=\s)/)) {
    await sleep(20, undefined, { signal });
    yield word;
  }
}

function lastText({ messages }: HandlerContext): string {
  const { content = '' } = messages.at(-1) ?? {};
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function within(text: string | undefined, fallback: number, most: number): number {
  const number = Number(text ?? fallback);
  return Number.isInteger(number) && number >= 0 ? Math.min(number, most) : fallback;
}
