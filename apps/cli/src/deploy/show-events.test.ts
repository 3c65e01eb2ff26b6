import { stripVTControlCharacters } from 'node:util';
import { createScriptedClock, deployEvent } from '@berth/client/testing';
import type { DeployEvent } from '@berth/contract';
import { expect, test } from 'vitest';
import { createStreamOutput } from '../output/stream-output.ts';
import { showEvents } from './show-events.ts';

async function* stream(...lines: string[]): AsyncGenerator<DeployEvent> {
  for (const line of lines) yield JSON.parse(line) as DeployEvent;
}

/** A terminal for both streams, and everything that was written to it. */
function createTerminal(more: { readonly isJson?: boolean; readonly isQuiet?: boolean } = {}) {
  const written: string[] = [];
  const sink = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const output = createStreamOutput({
    stdout: sink,
    stderr: sink,
    isJson: false,
    isQuiet: false,
    hasColor: { stdout: true, stderr: true },
    hasUnicode: true,
    ...more,
  });
  return { context: { output, clock: createScriptedClock() }, text: () => written.join('') };
}

const lines = [
  deployEvent(1, 'BUILDING', 'Detected Node'),
  deployEvent(2, 'BUILDING', '\x1b[32mok\x1b[0m\x1b[2J', { log: true }),
  deployEvent(4, 'DEPLOYING', 'Created volume v'),
  deployEvent(9, 'DONE', '', { url: 'http://app.localhost\x1b]0;x\x07', revision: 'app-1' }),
];

test('on a terminal a status line runs under the lines, and is gone at the end', async () => {
  const { context, text } = createTerminal();
  expect(await showEvents(stream(...lines), context, { name: 'app' })).toBe(0);
  const erase = '\r\x1b[2K';
  expect(text()).toContain(`${erase}\x1b[36m⠋\x1b[39m Building \x1b[2m0.0s\x1b[22m`);
  // A line takes the place of the status line, which comes again below it.
  expect(text()).toContain(`${erase}  Detected Node\n\x1b[36m⠋`);
  expect(text()).toContain('✓\x1b[39m Built in 3.0s');
  expect(text()).toContain('✓\x1b[39m Started in 5.0s');
  expect(text()).toContain('Ready in 8.0s');
  const last = text().lastIndexOf('⠋');
  expect(text().slice(last)).toContain(erase);
});

test('colors of a build stay, and its other escapes do not reach the terminal', async () => {
  const { context, text } = createTerminal();
  await showEvents(stream(...lines), context);
  expect(text()).toContain('\x1b[32mok\x1b[0m');
  expect(text()).not.toContain('\x1b[2J');
  expect(text()).not.toContain('\x1b]0;');
});

test('quiet says the address and nothing else', async () => {
  const { context, text } = createTerminal({ isQuiet: true });
  await showEvents(stream(...lines), context, { name: 'app' });
  expect(stripVTControlCharacters(text()).trim()).toBe('http://app.localhost');
});

test('a replay tells the times of the deploy, not of the replay', async () => {
  const { context, text } = createTerminal();
  await showEvents(stream(deployEvent(1, 'BUILDING', ''), deployEvent(59, 'DONE', '', { url: 'http://a' })), context);
  expect(text()).toContain('Ready in 58s');
});

test('an error without any text still says something', async () => {
  const { context, text } = createTerminal();
  expect(await showEvents(stream(deployEvent(1, 'ERROR', '')), context)).toBe(1);
  expect(text()).toContain('The deploy failed. (internal)');
});

test('each line of what a failed start printed has a bar', async () => {
  const { context, text } = createTerminal();
  const failure = deployEvent(1, 'ERROR', 'It exited.', { code: 'start_failed', logs: ['Error: no URL\n    at a.js'] });
  await showEvents(stream(failure), context);
  const lines = stripVTControlCharacters(text()).split('\n');
  const bar = lines.find((line) => line.includes('no URL'))?.trim()[0];
  expect(lines.find((line) => line.includes('at a.js'))?.trim()[0]).toBe(bar);
});

test.each([
  ['once', {}, ['one', 'boom'], 1],
  ['where nothing was shown before', { isQuiet: true }, ['boom'], 1],
  ['though a program printed the same earlier', {}, ['two', 'boom'], 2],
])('the end of what a failed deploy printed is shown %s', async (_title, more, logs, times) => {
  const { context, text } = createTerminal(more);
  const output = deployEvent(1, 'BUILDING', 'one\nboom', { log: true });
  // Fails when the lines of the error are shown although the build showed them.
  expect(
    await showEvents(stream(output, deployEvent(2, 'ERROR', 'It failed.', { code: 'build_failed', logs })), context),
  ).toBe(1);
  expect(text().split('boom')).toHaveLength(times + 1);
});

test('a deploy that builds nothing is one step', async () => {
  const { context, text } = createTerminal();
  const events = stream(
    deployEvent(1, 'BUILDING', 'Restarting app'),
    deployEvent(2, 'DEPLOYING', 'Starting app-1'),
    deployEvent(3, 'DONE', '', { url: 'http://a' }),
  );
  expect(await showEvents(events, context, { action: 'Restarting' })).toBe(0);
  const shown = stripVTControlCharacters(text());
  expect(shown).toMatch(/Restarting 0\.0s[\s\S]* {2}Starting app-1\n[\s\S]*✓ Ready in 2\.0s/);
  expect(shown).not.toMatch(/Built|Started in|Building|Deploying/);
});
