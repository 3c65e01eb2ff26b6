import { createScriptedServer, deployEvent, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../testing/run-in-process.ts';

let server: ScriptedServer;
let sent: unknown[];
beforeEach(async () => {
  sent = [];
  server = await createScriptedServer();
  for (const change of ['restart', 'stop', 'resume']) {
    server.on(`POST /v1/deployment/${change}`, async ({ response, json }) => {
      sent.push([change, await json()]);
      const done =
        change === 'stop'
          ? deployEvent(2, 'DONE', 'app is stopped', {})
          : deployEvent(2, 'DONE', 'serves', { url: 'http://app.localhost' });
      response.end(deployEvent(1, 'DEPLOYING', `${change}: app-00001`) + done);
    });
  }
  return () => server.close();
});

test.each(['restart', 'resume'])(
  'berth %s waits until the service is ready, and prints its address',
  async (change) => {
    const { code, stdout, stderr } = await runInProcess(server, [change, 'app']);
    expect([code, stdout]).toEqual([0, 'http://app.localhost\n']);
    expect(stderr).toContain(`${change}: app-00001`);
    expect(sent).toEqual([[change, { name: 'app' }]]);
    expect((await runInProcess(server, [change, 'app', '--detach'])).stdout).toBe('dep_1\n');
  },
);

// Fails when a stop prints an address, or says that the service is ready.
test('berth stop says that it is stopped', async () => {
  const { code, stdout, stderr } = await runInProcess(server, ['stop', 'app']);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain('✓ app is stopped');
  expect(stderr).not.toContain('Ready');
  expect(sent).toEqual([['stop', { name: 'app' }]]);
});
