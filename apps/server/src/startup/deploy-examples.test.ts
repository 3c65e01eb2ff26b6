import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { deployExamples } from './deploy-examples.ts';

// Fails when the error's JSON is printed as it came, and when the examples go to the public address: a domain need not resolve yet.
test('an example that cannot be deployed is reported in a sentence', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const localUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const stop = new AbortController();
  const printed: string[] = [];
  await deployExamples({
    platform: {
      localUrl,
      operatorKey: { secret: 'berth_x' },
    },
    signal: stop.signal,
    print(text) {
      printed.push(text);
      stop.abort();
    },
  });
  expect(printed.join('')).toBe(
    `  The example hello-node couldn't be deployed: Can't reach ${localUrl}: nothing is listening there.\n`,
  );
});
