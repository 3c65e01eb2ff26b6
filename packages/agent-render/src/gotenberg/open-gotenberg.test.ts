import { isTwoInstances, openTestAgent } from '@berth/agent/testing';
import { createOutbound } from '@berth/agent-core';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRenderer } from '../contract/describe-renderer.ts';
import { openText } from '../testing/open-documents.ts';
import { readSample } from '../testing/read-sample.ts';
import { type FakeGotenberg, smallPdf, startGotenberg } from '../testing/start-gotenberg.ts';
import { openGotenberg } from './open-gotenberg.ts';

let service: FakeGotenberg;
beforeAll(async () => {
  service = await startGotenberg();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('a service of Gotenberg', () => {
  beforeAll(() => {
    service.answer = ({ bytes }) =>
      bytes.includes('no document') ? { status: 400, body: 'bad' } : { status: 200, body: smallPdf() };
  });
  describeRenderer(() => openGotenberg(service.url, createOutbound({ allowedNetworks: ['127.0.0.1/32'] })));
});

describe('an agent with such a service', () => {
  // Holds the agent to the contract: verifies('files.as-cached')
  it('sends each document once, as a form, and serves the result', async () => {
    await using fixture = await openTestAgent({ render: { url: `${service.url}/` } });
    service.answer = () => ({ status: 200, body: smallPdf('Minutes') });
    const odt = await openText('Minutes');
    const name = encodeURIComponent('ä "b"\r\n;c.odt'.replace('\r\n', ' '));
    await fixture.call('alice', 'PUT', `/files/${name}`, odt);
    const before = service.received.length;
    const answers = await Promise.all([1, 2, 3].map(() => fixture.call('alice', 'GET', `/files/${name}?as=pdf`)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(smallPdf('Minutes'));
    }
    expect(answers[0]!.headers.get('content-disposition')).toContain('.pdf');
    const { bytes: _, ...sent } = service.received[before]!;
    expect(sent).toEqual({
      method: 'POST',
      path: '/forms/libreoffice/convert',
      field: 'files',
      filename: 'document.odt',
    });
    expect(service.received[before]!.bytes).toEqual(odt);
    // Two instances that are asked at once may both send it.
    const count = service.received.length;
    expect(count - before).toBeLessThanOrEqual(isTwoInstances ? 2 : 1);

    // The same content of another person's is answered without asking again; ranges and conditions are those of files.
    await fixture.call('bob.acme', 'PUT', '/files/copy.odt', odt);
    const copy = await fixture.call('bob.acme', 'GET', '/files/copy.odt?as=pdf&download');
    expect(copy.headers.get('content-disposition')).toMatch(/^attachment; filename="copy\.pdf"/);
    expect(copy.headers.get('cache-control')).toBe('no-cache');
    expect(copy.headers.get('content-security-policy')).toContain('sandbox');
    const get = (headers: Record<string, string>) =>
      fetch(`${fixture.url}/files/copy.odt?as=pdf`, { headers: { Authorization: 'Bearer bob.acme', ...headers } });
    expect((await get({ 'If-None-Match': copy.headers.get('etag')! })).status).toBe(304);
    const part = await get({ Range: 'bytes=0-3' });
    expect([part.status, await part.text()]).toEqual([206, '%PDF']);
    expect(service.received).toHaveLength(count);

    // A book is taken apart before: the service is sent a page that names nothing.
    await fixture.call('alice', 'PUT', '/files/book.epub', readSample('libreoffice.epub'));
    expect((await fixture.call('alice', 'GET', '/files/book.epub?as=pdf')).status).toBe(200);
    expect(service.received.at(-1)!.filename).toBe('document.html');
    expect(service.received.at(-1)!.bytes.toString()).toContain('Hello');
  });

  // Holds the agent to the contract: verifies('files.render')
  it('answers 415 on failure, and retries unless the document is at fault', async ({ skip }) => {
    skip(isTwoInstances, 'by design: each instance remembers what it refused');
    await using fixture = await openTestAgent({ render: { url: service.url } });
    const ask = async (text: string, answer: FakeGotenberg['answer']) => {
      service.answer = answer;
      await fixture.call('alice', 'PUT', `/files/${text}.odt`, await openText(text));
      const shown = await fixture.call('alice', 'GET', `/files/${text}.odt?as=pdf`);
      return [shown.status, shown.status === 415 ? (await shown.json()).detail : ''];
    };
    const now = [415, expect.stringMatching(/The render service failed/)];
    expect(await ask('one', () => ({ status: 503, body: '' }))).toEqual(now);
    expect(await ask('two', () => 'cut')).toEqual(now);
    expect(await ask('one', () => ({ status: 200, body: smallPdf() }))).toEqual([200, '']);
    expect(await ask('three', () => ({ status: 200, body: '' }))).toEqual([415, expect.stringMatching(/no pages/)]);
    expect(await ask('four', () => ({ status: 200, body: '<html>' }))).toEqual([
      415,
      expect.stringMatching(/did not return a PDF/),
    ]);
    expect(await ask('five', () => ({ status: 400, body: 'x' }))).toEqual([415, expect.stringMatching(/damaged/)]);
    const asked = service.received.length;
    expect(await ask('five', () => ({ status: 200, body: smallPdf() }))).toEqual([
      415,
      expect.stringMatching(/damaged/),
    ]);
    expect(service.received).toHaveLength(asked);
  });

  it('limits concurrent jobs, jobs per user, and the time of a job', async ({ skip }) => {
    skip(isTwoInstances, 'by design: each instance has a line of its own');
    const clock = createFakeClock();
    await using fixture = await openTestAgent({ render: { url: service.url }, clock });
    service.answer = () => 'hang';
    const sent = service.received.length;
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) await fixture.call('alice', 'PUT', `/files/${name}.odt`, await openText(name));
    const answers = names.map((name) => fixture.call('alice', 'GET', `/files/${name}.odt?as=pdf`));
    const refused = await Promise.race(answers);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    for (const running of [2, 4]) {
      await waitUntil('two more are sent', () => service.received.length === sent + running);
      clock.advance(60_000);
    }
    const late = (await Promise.all(answers)).filter((answer) => answer !== refused);
    for (const answer of late) {
      expect([answer.status, (await answer.json()).detail]).toEqual([415, expect.stringMatching(/more than 60 s/)]);
    }
  });

  it('reports an unreachable service without its address', async () => {
    await using fixture = await openTestAgent({ render: { url: 'http://127.0.0.1:1' } });
    await fixture.call('alice', 'PUT', '/files/a.odt', await openText('x'));
    const answer = await fixture.call('alice', 'GET', '/files/a.odt?as=pdf');
    const { detail } = await answer.json();
    expect([answer.status, detail]).toEqual([415, expect.stringMatching(/The render service failed/)]);
    expect(detail).not.toContain('127.0.0.1');
  });
});
