import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { deployExamples } from './deploy-examples.ts';

/** Deploys to an address where nothing listens. Returns it and what was printed, up to `lines`. */
async function deployNowhere(hasMounts: boolean, lines: number) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const localUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const stop = new AbortController();
  const printed: string[] = [];
  await deployExamples({
    platform: { localUrl, operatorKey: { secret: 'berth_x' } },
    hasMounts,
    signal: stop.signal,
    print(text) {
      if (printed.push(text) === lines) stop.abort();
    },
  });
  return { localUrl, printed };
}

// Fails when the error's JSON is printed as it came, and when the examples go to the public address: a domain need not resolve yet.
test('an example that cannot be deployed is reported in a sentence', async () => {
  const { localUrl, printed } = await deployNowhere(true, 1);
  expect(printed.join('')).toBe(
    `  The example hello-node couldn't be deployed: Can't reach ${localUrl}: nothing is listening there.\n`,
  );
});

// Fails when a first start with a bucket ends in the error of an agent whose volume can't be mounted.
test("where volumes can't be mounted, the agent is left out with the reason", async () => {
  const { printed } = await deployNowhere(false, 2);
  expect(printed.at(-1)).toContain('not deployed: it stores its chats in a mounted volume');
});
