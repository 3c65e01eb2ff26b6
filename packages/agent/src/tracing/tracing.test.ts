import { defineTool, ToolError } from '@berth/agent-core';
import { openTestSdk } from '@berth/agent-core/testing';
import { createRecordingLogger } from '@berth/testkit';
import { type Span, SpanKind, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { ModelError } from '../models/model-error.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const FROM_GATEWAY = { traceparent: `00-${TRACE}-${PARENT}-01` };

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  risk: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

const call = (tool: string, args: unknown) => ({ calls: [{ tool, args, id: 'call-1' }] });

/** Fails when a span is not opened, is opened outside its parent's context, or misses the gateway's trace. */
test('a turn, its steps, answers and tools are spans below the gateway’s', async () => {
  await using sdk = openTestSdk();
  let inTool: Span | undefined;
  const spy = defineTool({
    name: 'spy',
    description: 'Looks around.',
    risk: 'read',
    input: z.object({}),
    run: async () => {
      await Promise.resolve();
      inTool = trace.getActiveSpan();
      return 'secret result';
    },
  });
  await using fixture = await openLoopAgent([call('spy', {}), 'Done.'], { tools: [spy], description: 'Adds.' });
  await fixture
    .call('alice', 'POST', '/?id=c1', { messages: [{ role: 'user', content: 'secret question' }] }, FROM_GATEWAY)
    .then((response) => response.text());

  const turn = sdk.find('invoke_agent test-agent');
  expect(turn.spanContext().traceId).toBe(TRACE);
  expect(turn.parentSpanContext?.spanId).toBe(PARENT);
  expect(turn.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'test-agent',
    'gen_ai.agent.description': 'Adds.',
    'gen_ai.conversation.id': 'c1',
    'berth.run.id': expect.stringMatching(/^run/),
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  const chat = sdk.find('chat scripted');
  expect(chat.kind).toBe(SpanKind.CLIENT);
  expect(sdk.above(chat)).toEqual(['step', 'invoke_agent test-agent', PARENT]);
  expect(chat.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'custom',
    'gen_ai.request.model': 'scripted',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(chat.instrumentationScope).toMatchObject({
    name: '@berth/agent',
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
  });
  const tool = sdk.find('execute_tool spy');
  expect(sdk.above(tool)).toEqual(['step', 'invoke_agent test-agent', PARENT]);
  expect(tool.attributes).toMatchObject({ 'gen_ai.tool.name': 'spy', 'gen_ai.tool.call.id': 'call-1' });
  expect(inTool?.spanContext().spanId).toBe(tool.spanContext().spanId);
  expect(
    sdk
      .spans()
      .filter(({ name }) => name === 'step')
      .map(({ attributes }) => attributes['berth.step.number']),
  ).toEqual([1, 2]);
  // Nothing that anyone said, without opting in.
  expect(JSON.stringify(sdk.spans().map(({ attributes, events }) => [attributes, events]))).not.toContain('secret');
});

/** Fails when the variable is not read, or content is recorded in another form than the conventions'. */
test('content is recorded when the owner opts in', async () => {
  await using sdk = openTestSdk();
  const environment = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
  await using fixture = await openLoopAgent([{ text: 'I add.', ...call('add', { a: 2, b: 3 }) }, '5'], {
    tools: [add],
    system: 'Be brief.',
    ...({ environment } as object),
  });
  await fixture.say('2 + 3?');
  const [first, second] = sdk.spans().filter(({ name }) => name === 'chat scripted');
  const read = (span: ReadableSpan | undefined, key: string) => JSON.parse(String(span?.attributes[key]));
  expect(read(first, 'gen_ai.system_instructions')).toEqual([{ type: 'text', content: 'Be brief.' }]);
  expect(read(first, 'gen_ai.tool.definitions')).toMatchObject([{ type: 'function', name: 'add' }]);
  const calls = { type: 'tool_call', id: 'call-1', name: 'add', arguments: '{"a":2,"b":3}' };
  expect(read(first, 'gen_ai.output.messages')).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: 'I add.' }, calls], finish_reason: 'tool_call' },
  ]);
  expect(read(second, 'gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: '2 + 3?' }] },
    { role: 'assistant', parts: [{ type: 'text', content: 'I add.' }, calls] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call-1', response: '5' }] },
  ]);
  expect(sdk.find('execute_tool add').attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"a":2,"b":3}',
    'gen_ai.tool.call.result': '5',
  });
});

/** Fails when an error is lost between the place where it happens and its span, or a stop counts as one. */
test('errors of models and tools are on their spans, and a stop is none', async () => {
  await using sdk = openTestSdk();
  const fail = defineTool({
    name: 'fail',
    description: 'Fails.',
    risk: 'read',
    input: z.object({}),
    run: () => {
      throw new ToolError('no paper');
    },
  });
  const broken = { text: '', error: new ModelError('refused', 'the key is wrong') };
  const lines: string[] = [];
  const logger = createRecordingLogger(lines);
  await using fixture = await openLoopAgent([call('fail', {}), broken], { tools: [fail], logger });
  await fixture.say('Print.');
  const failed = (name: string) => {
    const span = sdk.spans().findLast((one) => one.name === name);
    return [span?.status, span?.attributes['error.type']];
  };
  expect(failed('execute_tool fail')).toEqual([{ code: 2, message: 'no paper' }, 'ToolError']);
  expect(failed('chat scripted')).toEqual([{ code: 2, message: 'the key is wrong' }, 'refused']);
  expect(failed('invoke_agent test-agent')).toEqual([{ code: 2, message: 'the key is wrong' }, 'refused']);
  // Fails when the engine's line about the failure, which is logged after its spans have ended, doesn't lead to them.
  const { traceId, spanId } =
    sdk
      .spans()
      .findLast(({ name }) => name === 'chat scripted')
      ?.spanContext() ?? {};
  const failure = lines.map((line) => JSON.parse(line)).find(({ message }) => message.startsWith('a turn failed'));
  expect(failure).toMatchObject({ trace_id: traceId, span_id: spanId, runId: expect.stringMatching(/^run/) });

  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    risk: 'read',
    input: z.object({}),
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        ask();
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  await using stopped = await openLoopAgent([call('wait', {})], { tools: [wait], name: 'stopped' });
  const turn = stopped.say('Wait.');
  await isAsked;
  await stopped.call('alice', 'POST', '/chats/c1/stop');
  await turn;
  expect(failed('invoke_agent stopped')).toEqual([{ code: 0 }, undefined]);
  expect(sdk.find('invoke_agent stopped').attributes['berth.run.aborted']).toBe(true);
});

/** Fails when either span of an approval is missing, or the approved call runs outside of its span. */
test('an approval is a span where it is asked and where its decision takes effect', async () => {
  await using sdk = openTestSdk();
  const erase = defineTool({
    name: 'erase',
    description: 'Erases.',
    risk: 'destructive',
    input: z.object({}),
    run: () => 'gone',
  });
  await using fixture = await openLoopAgent([call('erase', {}), 'Done.'], { tools: [erase] });
  const asked = await fixture.say('Erase it.');
  const key =
    asked.frames.flatMap((frame) =>
      frame.type === 'ui' && frame.action === 'confirm' ? [String(frame['key'])] : [],
    )[0] ?? '';
  await fixture.call('alice', 'POST', `/chats/c1/approvals/${key}`, { decision: 'approve', resume: false });
  await fixture.say('Go on.');
  const approvals = sdk.spans().filter(({ name }) => name === 'approval erase');
  expect(
    approvals.map(({ attributes }) => [attributes['berth.approval.state'], attributes['gen_ai.tool.call.id']]),
  ).toEqual([
    ['asked', 'call-1'],
    ['approved', 'call-1'],
  ]);
  expect(sdk.above(sdk.find('execute_tool erase'))[0]).toBe('approval erase');
  // A key lets whoever has it approve the call.
  expect(JSON.stringify(sdk.spans().map(({ attributes }) => attributes))).not.toContain(key);
});

/** Fails when the lines of an agent don't name the active span. */
test('lines that a turn logs name its trace and span', async () => {
  await using sdk = openTestSdk();
  const lines: string[] = [];
  await using fixture = await openTestAgent({
    logger: createRecordingLogger(lines),
    // biome-ignore lint/correctness/useYield: the handler only logs.
    handler: async function* ({ log }) {
      log.info({}, 'inside');
    },
  });
  await (await fixture.call('alice', 'POST', '/?id=c1', { messages: [{ role: 'user', content: 'Go' }] })).text();
  const { traceId, spanId } = sdk.find('invoke_agent test-agent').spanContext();
  const line = lines.map((one) => JSON.parse(one)).find(({ message }) => message === 'inside');
  expect(line).toMatchObject({ trace_id: traceId, span_id: spanId });
});
