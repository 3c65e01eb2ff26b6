import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Interrupted } from '../errors/interrupted.ts';
import { createTerminalPrompts } from './terminal-prompts.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const prompts = createTerminalPrompts({ isInteractive: true, input, output, signal: stop.signal });
  /** Types once the question is on the screen. */
  const type = async (question: string, keys: string) => {
    await expect.poll(() => shown).toContain(question);
    input.write(keys);
  };
  return { prompts, type, stop, shown: () => shown };
}

test('a secret is not shown while it is typed', async () => {
  const { prompts, type, shown } = open();
  const answer = prompts.secret('API key');
  await type('API key', 'hunter2\r');
  expect(await answer).toBe('hunter2');
  // Fails when the question is one for text.
  expect(shown()).not.toContain('hunter2');
});

test('a text begins with what is proposed, and Enter takes it', async () => {
  const { prompts, type } = open();
  const answer = prompts.text('Address', { initial: 'http://localhost:8787' });
  await type('Address', '\r');
  expect(await answer).toBe('http://localhost:8787');
});

test('Enter alone is a no', async () => {
  const { prompts, type } = open();
  const answer = prompts.confirm('Delete app?');
  await type('Delete app?', '\r');
  // Fails when the question begins at yes: one key too many would delete a deployment.
  expect(await answer).toBe(false);
});

test('y is a yes', async () => {
  const { prompts, type } = open();
  const answer = prompts.confirm('Delete app?');
  await type('Delete app?', 'y');
  expect(await answer).toBe(true);
});

// Fails when a canceled question is an answer: a cancel is neither yes nor no, and no password.
test.each(['text', 'secret', 'confirm', 'line'] as const)('Ctrl-C at %s leaves the command with 130', async (kind) => {
  const { prompts, type } = open();
  const answer = prompts[kind]('Question');
  answer.catch(() => {});
  await type('Question', CTRL_C);
  await expect(answer).rejects.toBeInstanceOf(Interrupted);
  await expect(answer).rejects.toMatchObject({ exitCode: 130 });
});

test('a line is what was typed, and Ctrl-D is the end', async () => {
  const first = open();
  const line = first.prompts.line('> ');
  await first.type('> ', 'hello there\r');
  expect(await line).toBe('hello there');
  const second = open();
  const end = second.prompts.line('> ');
  await second.type('> ', CTRL_D);
  expect(await end).toBeUndefined();
});

test('a line that waits ends with the command', async () => {
  const { prompts, type, stop } = open();
  const line = prompts.line('> ');
  line.catch(() => {});
  await type('> ', 'half');
  stop.abort(new Interrupted(143));
  await expect(line).rejects.toThrow();
});
