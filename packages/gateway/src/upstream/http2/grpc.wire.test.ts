import { waitUntil } from '@berth/testkit';
import {
  type Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { createWireFixture, type TestProgram } from '../../testing/wire-fixture.ts';

const method = (path: string, isStream: boolean) => ({
  path,
  requestStream: isStream,
  responseStream: isStream,
  requestSerialize: (text: string) => Buffer.from(text),
  requestDeserialize: (bytes: Buffer) => bytes.toString(),
  responseSerialize: (text: string) => Buffer.from(text),
  responseDeserialize: (bytes: Buffer) => bytes.toString(),
});

const service = {
  upper: method('/test.Text/Upper', false),
  chat: method('/test.Text/Chat', true),
} satisfies ServiceDefinition;

/** A gRPC server as an instance. */
function grpcProgram(): TestProgram {
  const server = new Server();
  server.addService(service, {
    upper(call: ServerUnaryCall<string, string>, callback: sendUnaryData<string>) {
      if (call.request === 'no') callback({ code: status.NOT_FOUND, details: 'no such text' });
      else {
        const trailer = new Metadata();
        trailer.set('x-sum', String(call.request.length));
        callback(null, call.request.toUpperCase(), trailer);
      }
    },
    chat(call: ServerDuplexStream<string, string>) {
      call.on('data', (text: string) => call.write(text.toUpperCase()));
      call.on('end', () => call.end());
    },
  });
  let port = 0;
  const listeners: (() => void)[] = [];
  return {
    listen(_port, host) {
      server.bindAsync(`${host}:0`, ServerCredentials.createInsecure(), (error, bound) => {
        if (error) throw error;
        port = bound;
        for (const listener of listeners) listener();
      });
    },
    once: (_event, listener) => void listeners.push(listener),
    address: () => ({ port }),
    close: () => server.forceShutdown(),
  };
}

const TextClient = makeGenericClientConstructor(service, 'Text');

test('gRPC end to end: unary, errors, trailers, both ways at once', async () => {
  await using fixture = await createWireFixture({ program: grpcProgram, target: { useHttp2: true } });
  const client = new TextClient(`127.0.0.1:${fixture.port}`, credentials.createInsecure(), {
    'grpc.default_authority': 'hello.test',
  }) as unknown as Client & {
    upper(
      text: string,
      callback: (error: { code: number; details: string } | null, answer: string) => void,
    ): {
      on(event: 'status', listener: (status: { metadata: Metadata }) => void): void;
    };
    chat(): ClientDuplexStream<string, string>;
  };
  const upper = (text: string) =>
    new Promise<{ answer?: string; code?: number; details?: string; sum?: unknown }>((resolve) => {
      let result: { answer?: string; code?: number; details?: string } = {};
      const call = client.upper(text, (error, answer) => {
        result = error ? { code: error.code, details: error.details } : { answer };
      });
      call.on('status', ({ metadata }) => setImmediate(() => resolve({ ...result, sum: metadata.get('x-sum')[0] })));
    });
  expect(await upper('hello')).toEqual({ answer: 'HELLO', sum: '5' });
  expect(await upper('no')).toMatchObject({ code: status.NOT_FOUND, details: 'no such text' });
  const large = 'x'.repeat(1_000_000);
  expect((await upper(large)).answer).toBe(large.toUpperCase());

  const chat = client.chat();
  const answers: string[] = [];
  chat.on('data', (text: string) => answers.push(text));
  for (const [index, text] of ['a', 'b', 'c'].entries()) {
    chat.write(text);
    await waitUntil('it is answered', () => answers.length === index + 1);
  }
  chat.end();
  await new Promise((resolve) => chat.on('status', resolve));
  expect(answers).toEqual(['A', 'B', 'C']);
  client.close();
  await waitUntil('all are recorded', () => fixture.requests.length === 4);
  expect(fixture.requests.every(({ status: code, protocol }) => code === 200 && protocol === 'HTTP/2.0')).toBe(true);
});
