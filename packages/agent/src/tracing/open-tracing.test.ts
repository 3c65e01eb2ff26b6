import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { createSilentLogger } from '@berth/kit';
import { expect, test } from 'vitest';
import { openTracing } from './open-tracing.ts';

/** The OTLP JSON that the test reads. Source: opentelemetry-proto, `ExportTraceServiceRequest`. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly name: string; readonly traceId: string; readonly parentSpanId?: string }[];
    }[];
  }[];
}
interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

/** Opens an OTLP receiver over HTTP that keeps what it gets. */
async function openReceiver() {
  const exports: Export[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    json(request).then(
      (body) => {
        exports.push(body as Export);
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
      },
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    exports,
    spans: () =>
      exports.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Runs an agent in a process of its own, has it answer once, and ends it. */
async function answerOnce(environment: Readonly<Record<string, string>>): Promise<void> {
  const program = path.join(import.meta.dirname, 'testing/traced-agent-main.ts');
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^listening (.*)$/.exec(line) ?? [];
      if (url === undefined) continue;
      const answer = await fetch(`${url}/chat`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
        body: JSON.stringify({ messages: [{ role: 'user', content: '2 + 3?' }] }),
      });
      expect(await answer.text()).toContain('[DONE]');
      child.kill('SIGTERM');
    }
  } finally {
    child.kill('SIGKILL');
  }
}

/** Fails when the variables start nothing, the last spans are lost at the end, or the gateway's trace is not continued. */
test('the standard variables export an agent’s traces, also the last ones', async () => {
  await using receiver = await openReceiver();
  await answerOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  const spans = receiver.spans();
  expect(new Set(receiver.paths)).toEqual(new Set(['/v1/traces']));
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']));
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'chat scripted',
    'chat scripted',
    'execute_tool add',
    'invoke_agent calc',
    'step',
    'step',
  ]);
  expect(spans.find(({ name }) => name === 'invoke_agent calc')?.parentSpanId).toBe('b7ad6b7169203331');
  const attributes = receiver.exports.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource }) => resource.attributes),
  );
  expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'calc' } });
});

/** Fails when a variable that switches tracing off is not obeyed. */
test('an agent exports nothing unless asked to', async () => {
  const asked = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  let loads = 0;
  const load = () => {
    loads++;
    return Promise.reject(new Error('loaded'));
  };
  const open = (environment: Record<string, string>) =>
    openTracing({ agentName: 'calc', environment, logger: createSilentLogger(), load });
  for (const environment of [{}, { ...asked, OTEL_TRACES_EXPORTER: 'none' }, { ...asked, OTEL_SDK_DISABLED: 'true' }]) {
    expect(await open(environment)).toBeUndefined();
  }
  expect(loads).toBe(0);
  await open(asked);
  expect(loads).toBe(1);
});

/** Fails when an agent without the SDK does not start, or does not say what to install. */
test('an agent that lacks the SDK serves without traces and says what to install', async () => {
  const lines: string[] = [];
  const logger = { ...createSilentLogger(), error: (_: unknown, message: string) => void lines.push(message) };
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const environment = { OTEL_TRACES_EXPORTER: 'otlp' };
  expect(
    await openTracing({ agentName: 'calc', environment, logger, load: () => Promise.reject(missing) }),
  ).toBeUndefined();
  expect(lines).toEqual([expect.stringContaining('npm install @opentelemetry/sdk-node')]);
});
