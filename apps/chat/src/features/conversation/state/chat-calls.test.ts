import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../api/api.ts';
import { chatOf, createFakeAgent } from '../../../testing/fake-agent.ts';
import { createChatCalls, isAmong } from './chat-calls.ts';
import type { QuestionItem } from './items.ts';

const question = (content: QuestionItem['content']): QuestionItem => ({ kind: 'question', content, attachments: [] });
const user = (content: string) => ({ role: 'user' as const, content });
const assistant = (content: string) => ({ role: 'assistant' as const, content });

function open() {
  const agent = createFakeAgent();
  return { agent, calls: createChatCalls(agent), signal: new AbortController().signal };
}

describe('a chat', () => {
  it('is read as a whole, or from where an earlier reading ended', async () => {
    const { agent, calls, signal } = open();
    agent.on('GET /chats/c%2F1', chatOf([user('a')]));
    agent.on('GET /chats/c%2F1?since=1', chatOf([user('b')]));
    expect((await calls.find('c/1', { signal }))?.messages).toMatchObject([user('a')]);
    expect((await calls.find('c/1', { since: 1, signal }))?.messages).toMatchObject([user('b')]);
  });

  it('that does not exist is none', async () => {
    const { agent, calls, signal } = open();
    agent.on('GET /chats/c1', new Response(null, { status: 204 }));
    expect(await calls.find('c1', { signal })).toBeUndefined();
  });
});

describe('calls that wait', () => {
  it('are the frames of their cards', async () => {
    const { agent, calls, signal } = open();
    agent.on('GET /chats/c1/approvals', [{ tool: 't', key: 'k', label: 'l', args: { a: 1 } }]);
    expect(await calls.waiting('c1', signal)).toEqual([
      { type: 'ui', action: 'confirm', tool: 't', key: 'k', label: 'l', args: { a: 1 } },
    ]);
  });

  it('are decided by their key, with or without other arguments', async () => {
    const { agent, calls } = open();
    agent.on('POST /chats/c1/approvals/k%2F1', { ok: true }, { ok: true });
    await calls.decide('c1', 'k/1', 'always');
    await calls.decide('c1', 'k/1', 'approve', { path: 'b' });
    expect(agent.calls.map(({ body }) => body)).toEqual([
      { decision: 'always' },
      { decision: 'approve', args: { path: 'b' } },
    ]);
  });
});

describe('stopping a turn', () => {
  it('tells one that was stopped from one that is not there', async () => {
    const { agent, calls } = open();
    agent.on('POST /chats/c1/stop', { ok: true }, new ApiError(404, 'no turn'));
    expect([await calls.stop('c1'), await calls.stop('c1')]).toEqual([true, false]);
  });

  // Fails when every error counts as no turn: the person would think that it has stopped.
  it('fails where the agent fails', async () => {
    const { agent, calls } = open();
    agent.on('POST /chats/c1/stop', new ApiError(503, 'not now'), new TypeError('offline'));
    await expect(calls.stop('c1')).rejects.toThrow('not now');
    await expect(calls.stop('c1')).rejects.toThrow('offline');
  });
});

describe('the last exchange', () => {
  it('is deleted by the hash of its question, of text or of parts', async () => {
    const { agent, calls } = open();
    const hash = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    agent.on(`DELETE /chats/c1/last-exchange?expect=${hash}`, { ok: true });
    await calls.takeBack('c1', 'a');
    await calls.takeBack('c1', [{ type: 'text', text: 'a' }]).catch(() => undefined);
    expect(agent.calls.map(({ call }) => call.split('expect=')[1]?.length)).toEqual([64, 64]);
    expect(agent.calls[0]?.call).not.toBe(agent.calls[1]?.call);
  });
});

describe('whether a message has arrived', () => {
  it('is told by the messages after those that the chat had', async () => {
    const { agent, calls } = open();
    const messages = [user('hi'), assistant('Hello.'), user('hi')];
    agent.on('GET /chats/c1', ...Array.from({ length: 3 }, () => chatOf(messages)));
    const arrived = (before: number) => calls.hasArrived('c1', question('hi'), before);
    expect([await arrived(0), await arrived(1), await arrived(2)]).toEqual([true, true, false]);
  });

  // Fails when an answer with the same words counts as the message.
  it('is not told by what the agent said', async () => {
    const { agent, calls } = open();
    agent.on('GET /chats/c1', chatOf([assistant('hi')]));
    expect(await calls.hasArrived('c1', question('hi'), 0)).toBe(false);
  });

  it('is no where the chat is not there, and unknown where it can’t be read', async () => {
    const { agent, calls } = open();
    agent.on('GET /chats/c1', new Response(null, { status: 204 }), new TypeError('offline'));
    expect(await calls.hasArrived('c1', question('hi'), 0)).toBe(false);
    expect(await calls.hasArrived('c1', question('hi'), 0)).toBeUndefined();
  });

  it('compares parts by what they are', () => {
    const parts = () => [{ type: 'text' as const, text: 'a' }];
    expect(isAmong(question(parts()), [{ content: parts() }])).toBe(true);
    expect(isAmong(question(parts()), [{ content: 'a' }])).toBe(false);
    expect(isAmong(question('a'), [])).toBe(false);
  });
});
