import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const MODULE = new URL('./create-spawn.ts', import.meta.url).href;
const LIST = ['-c', 'ls -l /proc/self/fd'];

test.skipIf(process.platform !== 'linux')('a program has no descriptor that its server was started with', async () => {
  const script = `
    const { createSpawn } = await import(${JSON.stringify(MODULE)});
    createSpawn()('/bin/sh', ${JSON.stringify(LIST)}, { stdio: ['ignore', 1, 2, 'pipe'] });`;
  // What the server is started with: pipes at 3, which is given away, and at 40 (Node itself sees to the first 16).
  const stdio = Array.from(
    { length: 41 },
    (_, fd) => ([1, 2, 3, 40].includes(fd) ? 'pipe' : 'ignore') as 'pipe' | 'ignore',
  );
  const server = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio });
  let output = '';
  server.stdout?.on('data', (chunk) => (output += chunk));
  await once(server, 'close');
  const targets = new Map(
    output.split('\n').flatMap((line) => {
      const [, descriptor, target] = /(\d+) -> (.*)$/.exec(line) ?? [];
      return descriptor === undefined ? [] : [[Number(descriptor), target]];
    }),
  );
  expect(targets.get(40)).toBe('/dev/null');
  expect(targets.get(3)).toMatch(/^socket:/);
});
