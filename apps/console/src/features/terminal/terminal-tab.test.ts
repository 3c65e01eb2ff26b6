// @vitest-environment happy-dom
import { createError } from '@berth/contract';
import { act, createElement } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { createDeployment } from '../../testing/create-deployment.ts';
import { openView, say } from '../../testing/open-view.ts';
import type { ExecConnectionOptions, ExecState } from './connect-exec.ts';
import { TerminalTab } from './terminal-tab.tsx';

const made = vi.hoisted(() => ({ connections: [] as ExecConnectionOptions[], live: [] as boolean[], closed: 0 }));

// xterm.js needs a browser that lays out text; tests/browser/terminal.test.ts uses it.
vi.mock('./create-terminal.ts', () => ({
  createTerminal: () => ({
    size: { columns: 80, rows: 24 },
    print: () => {},
    setLive: (isLive: boolean) => void made.live.push(isLive),
    close: () => {},
  }),
}));
vi.mock('./connect-exec.ts', () => ({
  connectExec(options: ExecConnectionOptions) {
    made.connections.push(options);
    return { send: () => {}, resize: () => {}, close: () => made.closed++ };
  },
}));

beforeEach(() => Object.assign(made, { connections: [], live: [], closed: 0 }));

async function open(address = '/deployments/shop?tab=terminal', exec: () => unknown = () => ({})) {
  const view = await openView(createElement(TerminalTab, { deployment: createDeployment() }), {
    address,
    api: { accountChoice: { id: 'acc_2' } as never },
    answers: {
      'GET /v1/deployment/instances': () => [{ instance: 'inst_1', state: 'ready' }],
      'GET /v1/deployment/{name}/exec': exec,
    },
  });
  const tell = async (state: ExecState) => {
    await act(async () => made.connections.at(-1)?.onState(state));
    await view.settle();
  };
  return { ...view, tell };
}

test('a click connects to the chosen instance of the account, and the end tells the exit code', async () => {
  const view = await open('/deployments/shop?tab=terminal&instance=inst_1');
  expect(made.connections).toEqual([]);
  await view.clickOn(say('terminal.connect'));
  const url = `ws://${location.host}/v1/deployment/shop/exec?instance=inst_1&account=acc_2`;
  expect(made.connections[0]?.url).toBe(url);
  await view.tell({ phase: 'running', instance: 'inst_1' });
  expect(view.texts('status')).toContain(say('terminal.connected', { instance: 'inst_1' }));
  await view.tell({ phase: 'ended', exitCode: 7, signal: null });
  expect(view.texts('status')).toContain(say('terminal.exit', { code: '7' }));
  expect(made.live).toEqual([true, false]);
  await view.clickOn(say('terminal.reconnect'));
  expect(made.connections).toHaveLength(2);
});

test('disconnecting and leaving end the shell', async () => {
  const view = await open();
  await view.clickOn(say('terminal.connect'));
  await view.tell({ phase: 'running', instance: 'inst_1' });
  await view.clickOn(say('terminal.disconnect'));
  expect(made.closed).toBe(1);
  await view.clickOn(say('terminal.connect'));
  await view.render(null);
  expect(made.closed).toBeGreaterThan(1);
});

// Fails when a person is told of a full account where the server says something else.
test('a refused connection tells the server’s reason where there is one', async () => {
  const view = await open(undefined, () => {
    throw createError('forbidden', 'The key lacks the scope exec.');
  });
  await view.clickOn(say('terminal.connect'));
  await view.tell({ phase: 'failed', wasOpen: false });
  expect(view.texts('alert')).toEqual(['The key lacks the scope exec.']);
  const full = await open(undefined, () => {
    throw createError('bad_request', 'Connect with a WebSocket.');
  });
  await full.clickOn(say('terminal.connect'));
  await full.tell({ phase: 'failed', wasOpen: false });
  expect(full.texts('alert').at(-1)).toBe(say('terminal.refused'));
});
