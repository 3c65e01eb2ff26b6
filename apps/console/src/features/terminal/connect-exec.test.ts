import { expect, test } from 'vitest';
import { connectExec, type ExecState } from './connect-exec.ts';

type Sent = string | Uint8Array;

/** Connects to a socket that the test plays the server of. */
function connect() {
  const sent: Sent[] = [];
  const states: ExecState[] = [];
  const shown: (() => void)[] = [];
  let printed = 0;
  const socket = {
    readyState: WebSocket.CONNECTING as number,
    send: (data: Sent) => sent.push(data),
    close: () => {},
  } as unknown as WebSocket & { readyState: number };
  const connection = connectExec({
    url: 'ws://berth.test/',
    size: { columns: 80, rows: 24 },
    print(output, done) {
      printed += output.length;
      shown.push(done);
    },
    onState: (state) => states.push(state),
    createSocket: () => socket,
  });
  const receive = (data: string | ArrayBuffer) => socket.onmessage?.(new MessageEvent('message', { data }));
  return {
    ...{ connection, sent, states, shown, socket },
    printed: () => printed,
    said: () => sent.filter((data) => typeof data === 'string').map((data) => JSON.parse(data) as { type: string }),
    open() {
      socket.readyState = WebSocket.OPEN;
      socket.onopen?.(new Event('open'));
    },
    print: (bytes: number) => receive(new Uint8Array(bytes + 1).fill(1).buffer),
    say: (message: object) => receive(JSON.stringify(message)),
    lose: () => socket.onclose?.(new CloseEvent('close')),
  };
}

test('a shell is started with the size of the terminal, and its end is the last state', () => {
  const { open, said, states, say, lose } = connect();
  open();
  expect(said()).toEqual([{ type: 'start', command: [], terminal: { columns: 80, rows: 24, type: 'xterm-256color' } }]);
  say({ type: 'started', instance: 'inst_1', revision: 'shop-1' });
  say({ type: 'exit', exit_code: 3, signal: null });
  lose();
  expect(states).toEqual([
    { phase: 'connecting' },
    { phase: 'running', instance: 'inst_1' },
    { phase: 'ended', exitCode: 3, signal: null },
  ]);
});

test('a refused connection differs from a lost one, and from an error of the server', () => {
  const refused = connect();
  refused.lose();
  expect(refused.states.at(-1)).toEqual({ phase: 'failed', wasOpen: false });
  const lost = connect();
  lost.open();
  lost.lose();
  expect(lost.states.at(-1)).toEqual({ phase: 'failed', wasOpen: true });
  const failed = connect();
  failed.open();
  failed.say({ type: 'error', code: 'not_found', message: 'No such instance.' });
  failed.lose();
  expect(failed.states.at(-1)).toEqual({ phase: 'failed', message: 'No such instance.', wasOpen: true });
});

// Fails when a command that prints faster than the terminal shows fills the memory of the page.
test('output that isn’t shown yet pauses the command, and input waits meanwhile', () => {
  const { connection, open, print, said, sent, shown, printed } = connect();
  open();
  for (let n = 0; n < 9; n++) print(2 ** 16);
  expect(printed()).toBe(9 * 2 ** 16);
  expect(said().at(-1)).toEqual({ type: 'pause' });
  connection.send(new Uint8Array([3]));
  expect(sent.at(-1)).toBeTypeOf('string');
  for (const done of shown) done();
  expect(said().filter(({ type }) => type !== 'start')).toEqual([{ type: 'pause' }, { type: 'resume' }]);
  expect(sent.at(-1)).toEqual(new Uint8Array([3]));
});

test('a long paste is sent in pieces that the server takes', () => {
  const { connection, open, sent } = connect();
  open();
  connection.send(new Uint8Array(100_000));
  expect(sent.slice(1).map((piece) => piece.length)).toEqual([32_768, 32_768, 32_768, 1_696]);
});
