import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openOutbound } from './open-agent.ts';

const server = createServer((_request, response) => response.end('ok'));
let base = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('the owner’s networks come from the options, else from the environment', async () => {
  const from = (environment: Record<string, string>, allowedNetworks?: string[]) => () =>
    openOutbound(
      { ...(allowedNetworks && { outbound: { allowedNetworks } }) },
      { environment, clock: undefined as never },
    );
  const name = 'BERTH_AGENT_ALLOWED_NETWORKS';
  expect(from({ [name]: '10.0.0.0' })).toThrow(`${name}: "10.0.0.0" is not a network`);
  expect(from({}, ['10.0.0.0/33'])).toThrow('outbound.allowedNetworks: "10.0.0.0/33" is not a network');
  const opened = from({ [name]: ' 127.0.0.1/32, 10.0.0.0/8,' })();
  expect(await (await opened.fetchWith({})(base)).text()).toBe('ok');
  opened.close();
  // What the options say stands alone.
  const none = from({ [name]: '127.0.0.1/32' }, [])();
  await expect(none.fetchWith({})(base)).rejects.toThrow('non-public address');
});
