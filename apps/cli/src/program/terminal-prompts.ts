import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { Prompts } from '../command/prompts.ts';
import { Interrupted } from '../errors/interrupted.ts';

/** Options of {@link createTerminalPrompts}. */
export interface TerminalPromptsOptions {
  readonly isInteractive: boolean;
  readonly input: Readable;
  /** Standard error, so that standard output holds only the result. */
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Creates {@link Prompts} on a terminal. Their library is loaded with the first question. */
export function createTerminalPrompts({ isInteractive, ...common }: TerminalPromptsOptions): Prompts {
  async function ask<Answer extends string | boolean>(
    question: (clack: typeof import('@clack/prompts')) => Promise<Answer | symbol>,
  ): Promise<Answer> {
    const clack = await import('@clack/prompts');
    const answer = await question(clack);
    if (typeof answer === 'symbol') throw new Interrupted();
    return answer;
  }
  return {
    isInteractive,
    text: (message, { initial } = {}) =>
      ask<string>((clack) =>
        clack.text({ message, ...common, ...(initial === undefined ? {} : { initialValue: initial }) }),
      ),
    line: (prompt) => askLine(prompt, common),
    secret: (message) => ask<string>((clack) => clack.password({ message, ...common })),
    confirm: (message) => ask<boolean>((clack) => clack.confirm({ message, initialValue: false, ...common })),
  };
}

async function askLine(
  prompt: string,
  { input, output, signal }: Omit<TerminalPromptsOptions, 'isInteractive'>,
): Promise<string | undefined> {
  const reader = createInterface({ input, output, terminal: true });
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  reader.once('SIGINT', () => reject(new Interrupted()));
  reader.once('close', () => resolve(undefined));
  reader.question(prompt, { signal }).then(resolve, reject);
  return promise.finally(() => reader.close());
}
