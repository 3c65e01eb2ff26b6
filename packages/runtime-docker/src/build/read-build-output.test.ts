import { expect, test } from 'vitest';
import { type BuildMessage, createBuildReader } from './read-build-output.ts';

function read(...messages: BuildMessage[]) {
  const reader = createBuildReader();
  return [...messages.flatMap((message) => reader.push(message)), ...reader.flush()];
}
const ID = 'a'.repeat(12);

test('steps, what they run in and what they make', () => {
  expect(
    read(
      { stream: 'Step 1/2 : RUN x' },
      { stream: '\n' },
      { stream: ` ---> Running in ${ID}\n` },
      { stream: 'pri' },
      { stream: 'nted\nmore' },
      { stream: `\nRemoving intermediate container ${ID}\n` },
      { stream: ` ---> ${ID}\n` },
      { stream: 'Step 2/2 : CMD x\n ---> Using cache\n' },
      { aux: { ID: 'sha256:1' } },
      { stream: 'Successfully built 1\n' },
    ),
  ).toEqual([
    { kind: 'step', step: { number: 1, count: 2, instruction: 'RUN x' } },
    { kind: 'container', id: ID },
    { kind: 'output', line: 'printed' },
    { kind: 'output', line: 'more' },
    { kind: 'image', id: ID },
    { kind: 'step', step: { number: 2, count: 2, instruction: 'CMD x' } },
    { kind: 'cached' },
    { kind: 'done', id: 'sha256:1' },
  ]);
});

test('colors that the engine adds are gone, and so is what newer engines say instead', () => {
  expect(
    read({ stream: '\u001b[91moops\n\u001b[0m' }, { stream: ` ---> Removed intermediate container ${ID}\n` }),
  ).toEqual([{ kind: 'output', line: 'oops' }]);
});

test('an image that is fetched has a line for what is done, none for how far it is', () => {
  expect(
    read(
      { status: 'Pulling from library/node', id: '24-slim' },
      { status: 'Downloading', id: 'abc', progress: '[==> ]' },
      { status: 'Pull complete', id: 'abc' },
    ),
  ).toEqual([
    { kind: 'output', line: '24-slim: Pulling from library/node' },
    { kind: 'output', line: 'abc: Pull complete' },
  ]);
});

test('an error, after what was printed before', () => {
  expect(read({ stream: 'last words' }, { error: 'failed', errorDetail: { code: 7, message: 'failed' } })).toEqual([
    { kind: 'output', line: 'last words' },
    { kind: 'error', message: 'failed', exitCode: 7 },
  ]);
});
